"""Which benchmarks there are, and running those that were asked for."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import orjson
import structlog

from app.services.garbage import settle_garbage
from bench.append import append
from bench.late import late
from bench.live import live
from bench.loop import loop
from bench.projector import projector
from bench.queries import READS
from bench.readers import readers
from bench.reads import idiomatic, past, present
from bench.rest import pages, poll
from bench.results import HEADING, Result
from bench.rho import on_store as rho_on_store
from bench.rho import rho
from bench.stores import Bed, NoStoreError, made

OnStore: TypeAlias = Callable[[Bed, bool], Awaitable[list[Result]]]

PURE: dict[str, Callable[[bool], list[Result]]] = {"projector": projector, "rho": rho}
ON_STORE: dict[str, OnStore] = {
    **{name: lambda bed, quick, name=name: present(bed, name, quick) for name in READS},  # type: ignore[misc]
    "idiomatic": idiomatic,
    **{f"asof-{events}": lambda bed, quick, events=events: past(bed, events, quick) for events in (2_000, 20_000, 200_000)},  # type: ignore[misc]
    **{f"append-{size}": lambda bed, quick, size=size: append(bed, size, quick) for size in (1, 100, 1_000)},  # type: ignore[misc]
    "late": late,
    "poll-304": poll,
    **{name: lambda bed, quick, name=name: pages(bed, name, quick) for name in ("rest-nodes-1000", "rest-events-1000")},  # type: ignore[misc]
    "loop": loop,
    "readers": readers,
    "live": live,
    "rho": rho_on_store,
}
"""In the order in which they run: reads before anything is appended to their graphs."""

QUICK_LEAVES_OUT = ("asof-20000", "asof-200000")
"""Loading those histories takes minutes."""


def main(arguments: Sequence[str]) -> int:
    """Runs benchmarks; exit code 2 for wrong usage, 1 if one could not be run. A goal that is missed is no failure."""
    names = list(dict.fromkeys((*PURE, *ON_STORE)))
    parser = argparse.ArgumentParser(prog="python -m bench", description="Speed checks, each against a floor measured in the same run.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which; all without: {', '.join(names)}")
    parser.add_argument("--engine", choices=("embedded", "neo4j"), default="embedded", help="neo4j: the one that NEO4J_URI names")
    parser.add_argument("--quick", action="store_true", help="small and short, to see that they run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in names]
    if unknown:
        parser.error(f"no benchmark {unknown[0]}; there are {', '.join(names)}")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    wanted = asked.names or [name for name in names if not (asked.quick and name in QUICK_LEAVES_OUT)]
    sys.stdout.write(HEADING + "\n")
    results: list[Result] = []
    for name in (name for name in PURE if name in wanted):
        results += _shown(PURE[name](asked.quick))
    on_store = [name for name in ON_STORE if name in wanted]
    try:
        if on_store:
            asyncio.run(_on_store(on_store, asked.engine, asked.quick, results))
    except NoStoreError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        if asked.json is not None:
            asked.json.write_bytes(orjson.dumps([result.as_json() for result in results], option=orjson.OPT_INDENT_2))
    return 0


async def _on_store(names: Sequence[str], engine: str, quick: bool, results: list[Result]) -> None:
    async with made(engine) as bed:
        settle_garbage()  # as in a serving process
        for name in names:
            results += _shown(await ON_STORE[name](bed, quick))


def _shown(results: list[Result]) -> list[Result]:
    for result in results:
        sys.stdout.write(result.as_line() + "\n")
    sys.stdout.flush()
    return results
