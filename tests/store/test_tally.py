"""What is asked of the store is counted, for the log (O28)."""

from __future__ import annotations

import asyncio

from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.tally import came_back, tallied


def soon() -> Deadline:
    return Deadline.after(20)


async def read(store: Store) -> None:
    await store.read("access/operator", soon(), name="nobody")
    await store.read("access/graphs_known", soon(), ids=["gph_a", "gph_b"], account="nobody")


async def test_statements_and_rows_are_counted_for_whoever_asks(store: Store) -> None:
    """O28: reads, writes and what tasks of the same work ask; nothing of others, and nothing afterwards."""

    async def write(transaction: Transaction) -> None:
        await transaction.run("access/login_delete", ids=["nothing"])

    with tallied() as first:
        await asyncio.gather(read(store), asyncio.create_task(read(store)))
        with tallied() as second:
            await read(store)
        await store.write(write, soon())
    await read(store)
    assert (first.statements, first.rows) == (5, 2)
    assert (second.statements, second.rows) == (2, 1)


def test_gathered_rows_count_one_by_one() -> None:
    """O28: a record that holds a list of rows is as many; one that is a row itself, of whatever columns, is one."""
    for records, rows in (
        ([[[["a", 1], ["b", 2]], [7]], [[["c", 3]], [7]]], 3),
        ([[[{"id": "k"}]]], 1),
        ([[[], [7]]], 0),
        ([[[1, 2, "event"]], [[2, 3, "event"]]], 2),
        ([["name", [1, 2]], []], 2),
    ):
        with tallied() as tally:
            came_back(records)
        assert tally.rows == rows
