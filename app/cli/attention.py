"""`agw attention`: what needs a person, in all graphs (O36)."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from app.cli.gateway import Gateway, asked, gateway
from app.cli.output import note, print_json
from app.cli.reaching import reach
from app.cli.settings import settings_for
from app.cli.stop import plain
from app.services.clock import system_clock
from app.settings import Settings
from app.web.attention import Concern, concerns

SOME = 3
"""The exit code where something needs a person."""

_LOOK_EVERY = 2.0


def attention(graphs: list[str], *, watch: bool, as_json: bool, data_dir: Path | None) -> int:
    """Prints what there is, and with `watch` whatever comes up, until stopped; the exit code."""
    settings = settings_for(data_dir=data_dir)
    if watch:
        asyncio.run(_watch(settings, graphs, as_json=as_json))
        return 0
    found = asyncio.run(_once(settings, graphs))
    if as_json:
        print_json([_object(concern) for concern in found])
    for concern in [] if as_json else found:
        sys.stdout.write(_line(concern) + "\n")
    if not found:
        note("Nothing needs you.")
    return SOME if found else 0


async def _once(settings: Settings, graphs: list[str]) -> list[Concern]:
    async with gateway(settings) as through:
        return await _all(graphs, through)


async def _watch(settings: Settings, graphs: list[str], *, as_json: bool) -> None:
    known: set[tuple[object, ...]] = set()
    async with reach(settings) as way:
        while True:
            found = await way.doing(lambda through: _all(graphs, through))
            new = [concern for concern in found if concern.key not in known]
            known = {concern.key for concern in found}
            for concern in new:
                sys.stdout.write((orjson.dumps(_object(concern)).decode() if as_json else _line(concern)) + "\n")
            if new and sys.stdout.isatty():
                sys.stdout.write("\a")
            sys.stdout.flush()
            await asyncio.sleep(_LOOK_EVERY)


async def _all(graphs: list[str], through: Gateway) -> list[Concern]:
    async def ask(query: str, variables: dict[str, Any]) -> dict[str, Any]:
        return await asked(through, query, variables)

    return [concern async for each in concerns(ask, graphs, system_clock()) for concern in each]


def _object(concern: Concern) -> dict[str, Any]:
    return asdict(concern)


def _line(concern: Concern) -> str:
    names = " → ".join(map(plain, concern.names))
    what = f": {plain(concern.what)}" if concern.what else ""
    more = f" (and {concern.more:,} more)" if concern.more else ""
    return f"{concern.graph}  {plain(concern.title or '')}  {names} {concern.said}{what}{more}"
