"""The nodes that are not the same at two moments of a graph (Q12)."""

from __future__ import annotations

from typing import NamedTuple

from app.domain.differences import differ
from app.domain.forest import Forest, ShownRow
from app.domain.waiting import by_code_unit
from app.store.pace import Pace


class Changed(NamedTuple):
    """A node as it is at both moments; None: it is not there."""

    ref: str
    before: ShownRow | None
    after: ShownRow | None

    @property
    def group(self) -> int:
        """New nodes come before the others."""
        return 0 if self.before is None else 1


async def changed_nodes(before: Forest, after: Forest) -> list[Changed]:
    """New nodes, then the others (removed ones among them), each by ref."""
    pace, found = Pace(), []
    was, now = before.by_ref, after.by_ref
    for number, row in enumerate(after.rows):
        old = was.get(row["ref"])
        if old is None or (not _same_state(old, row) and differ(old, row)):
            found.append(Changed(row["ref"], old, row))
        if not number % 500 and pace.due:
            await pace.rest()
    found += [Changed(row["ref"], row, None) for row in before.rows if row["ref"] not in now]
    return sorted(found, key=lambda changed: (changed.group, by_code_unit(changed.ref)))


def _same_state(old: ShownRow, new: ShownRow) -> bool:
    """Whether both are the same stored state: then the clock alone can make them look different."""
    return bool(old["since"] == new["since"] and old["state"] == new["state"])
