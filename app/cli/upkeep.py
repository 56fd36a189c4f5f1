"""`agw migrate`: the store's schema (O11, O24)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from app.cli.gateway import running_on
from app.cli.output import print_json
from app.cli.settings import settings_for
from app.cli.stop import Stop
from app.opening import MIGRATE_SECONDS, make_data_dir, open_store
from app.settings import Settings
from app.store.deadline import Deadline
from app.store.migrations import known_migrations, missing_migrations
from app.store.migrations import migrate as apply_missing


def migrate(*, check: bool, as_json: bool, data_dir: Path | None) -> None:
    """Applies what is missing, or with `check` only tells; exit 1 if something is missing then."""
    settings = settings_for(data_dir=data_dir)
    newest = known_migrations()[-1].number
    served = None if settings.neo4j_uri else running_on(settings.data_dir)
    # a gateway that runs has migrated its store, or it would not run
    missing, applied = ([], []) if served is not None else asyncio.run(_missing(settings, check=check))
    if as_json:
        print_json({"version": newest, "missing": missing, "applied": applied})
    elif applied:
        sys.stdout.write(f"Migrated to {newest}: {', '.join(applied)}\n")
    elif not missing:
        sys.stdout.write(f"The store is at {newest}, as this program needs it.\n")
    if missing:
        raise Stop(f"The store lacks {', '.join(missing)}: agw migrate applies them.")


async def _missing(settings: Settings, *, check: bool) -> tuple[list[str], list[str]]:
    make_data_dir(settings.data_dir)
    async with open_store(settings) as (store, _):
        deadline = Deadline.after(MIGRATE_SECONDS)
        if check:
            return [_named(one.number, one.name) for one in await missing_migrations(store, deadline)], []
        return [], [_named(one.number, one.name) for one in await apply_missing(store, deadline)]


def _named(number: int, name: str) -> str:
    return f"{number:04d} {name.replace('_', ' ')}"
