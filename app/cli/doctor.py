"""`agw doctor`: what works and what does not, with what to do about it (O11, O22)."""

from __future__ import annotations

import asyncio
import platform
import stat
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from app.cli.gateway import running_on
from app.cli.output import print_json
from app.cli.settings import settings_for
from app.cli.stop import Stop, one_line
from app.embedded.folder import StoreFolder
from app.embedded.installation import find_installation
from app.embedded.problems import EmbeddedProblem
from app.opening import make_data_dir, open_store
from app.services.keys import hashed
from app.services.operator_key import FILE, kept_key
from app.settings import Settings, SettingsProblem
from app.store.access import operator_id
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.migrations import missing_migrations
from app.store.problems import StoreProblem
from app.version import VERSION

_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    works: bool
    said: str


def doctor(*, as_json: bool, data_dir: Path | None) -> None:
    """Prints what was found; exit 1 if anything does not work."""
    found = [Finding("program", True, f"agent-graph-gateway {VERSION}, Python {platform.python_version()}, {platform.platform()}")]
    try:
        settings = settings_for(data_dir=data_dir)
    except SettingsProblem as problem:
        found.append(Finding("settings", False, str(problem)))
    else:
        found += asyncio.run(_look(settings))
    if as_json:
        print_json([asdict(finding) for finding in found])
    else:
        for finding in found:
            sys.stdout.write(f"{'ok  ' if finding.works else 'FAIL'}  {finding.name:<15} {one_line(finding.said)}\n")
    failed = [finding.name for finding in found if not finding.works]
    if failed:
        raise Stop(f"Not well: {', '.join(failed)}.")


async def _look(settings: Settings) -> list[Finding]:
    found = [_data_dir(settings.data_dir)]
    if not found[0].works:
        return found
    if settings.neo4j_uri is None:
        found.append(_embedded(settings.data_dir))
    served = running_on(settings.data_dir)
    if served is not None:
        return [*found, await _gateway(served.url, served.pid), _admin_key(settings.data_dir)]
    if all(finding.works for finding in found):
        found += await _store(settings)
    return found


def _data_dir(path: Path) -> Finding:
    try:
        make_data_dir(path)
    except SettingsProblem as problem:
        return Finding("data directory", False, str(problem))
    return Finding("data directory", True, str(path))


def _embedded(data_dir: Path) -> Finding:
    try:
        installation = find_installation()
    except EmbeddedProblem as problem:
        return Finding("embedded store", False, str(problem))
    size = StoreFolder(data_dir).size() / 1_000_000
    return Finding("embedded store", True, f"ArcadeDB {installation.version}, {size:,.1f} MB on disk")


async def _gateway(url: str, pid: int) -> Finding:
    import httpx

    try:
        async with httpx.AsyncClient(timeout=5, trust_env=False) as client:
            answer = await client.get(f"{url}/readyz")
    except httpx.HTTPError as error:
        return Finding("gateway", False, f"process {pid} does not answer at {url} ({type(error).__name__}): stop it and start it again.")
    if answer.status_code != 200:
        return Finding("gateway", False, f"{url} is not ready: {answer.json().get('reason')}")
    return Finding("gateway", True, f"running at {url} (process {pid}), ready")


async def _store(settings: Settings) -> list[Finding]:
    try:
        async with open_store(settings) as (store, _):
            return [Finding("store", True, f"{store.agent} at {settings.neo4j_uri or settings.data_dir}"), *await _inside(settings, store)]
    except (StoreProblem, EmbeddedProblem) as problem:
        return [Finding("store", False, str(problem))]


async def _inside(settings: Settings, store: Store) -> list[Finding]:
    deadline = Deadline.after(_SECONDS)
    missing = await missing_migrations(store, deadline)
    if missing:
        return [Finding("schema", True, f"{len(missing)} migrations to come: agw serve or agw migrate applies them")]
    operator = await operator_id(store, deadline)
    kept = kept_key(settings.data_dir)
    schema = Finding("schema", True, "as this program needs it")
    if operator is None or kept is None:
        return [schema, Finding("operator's key", True, "made at the next start" if operator is None else "not in this data directory")]
    if hashed(kept) != operator:
        other = f"{settings.data_dir / FILE} is not this store's: set AGW_ADMIN_KEY to put one in its place."
        return [schema, Finding("operator's key", False, other)]
    return [schema, _admin_key(settings.data_dir)]


def _admin_key(data_dir: Path) -> Finding:
    path = data_dir / FILE
    if kept_key(data_dir) is None:
        return Finding("operator's key", True, "not in this data directory")
    if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        return Finding("operator's key", False, f"others can read {path}: chmod 600 {path}")
    return Finding("operator's key", True, f"in {path}")
