"""`agw rho import`, `export` and `sync`: graphs in files, in the gateway, and at a service elsewhere (O13, G90, G91)."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import httpx

from app.cli.gateway import gateway
from app.cli.output import print_json
from app.cli.settings import settings_for
from app.cli.stop import Stop
from app.client.rho import AsyncRhoClient, RhoFailure, Upload
from app.domain.rho.apart import take_apart
from app.domain.rho.json_text import read_json
from app.domain.rho.names import is_name, is_repository
from app.domain.rho.problems import Refused
from app.domain.rho.texts import trimmed
from app.domain.rho.vocabulary import MOST_BYTES
from app.services.mission_files import read_mission
from app.settings import Settings

T = TypeVar("T")


def import_(file: str, *, project: str | None, data_dir: Path | None) -> None:
    """Keeps the envelope in a file, `-` for standard input; prints its snapshot, or what is wrong with it."""
    named = "Standard input" if file == "-" else file
    text = _content(file)

    async def taken_in(settings: Settings) -> dict[str, Any]:
        if len(text) > MOST_BYTES:
            raise Refused("body_too_large", "")
        async with gateway(settings) as through:
            return await through.rho_import(text, project)

    print_json({"ok": True, **_run(named, taken_in(settings_for(data_dir=data_dir)))})


def export(session: str | None, *, repository: str | None, mission_dir: Path | None, data_dir: Path | None) -> None:
    """Prints the envelope of a session, or of a mission, indented by two spaces."""
    made = _made(session, repository, mission_dir, settings_for(data_dir=data_dir), upload=False)
    envelope = _run(_named(session, mission_dir), made)
    sys.stdout.write(json.dumps(envelope, ensure_ascii=False, indent=2).replace("\x7f", "\\u007f") + "\n")


def sync(
    session: str | None,
    *,
    repository: str | None,
    mission_dir: Path | None,
    url: str | None,
    project: str | None,
    key: str | None,
    data_dir: Path | None,
) -> None:
    """Uploads a session or a mission; prints whether it was accepted now or before, its facts, its digest, and the id that it has there."""
    settings = settings_for(data_dir=data_dir)
    secret = key or (settings.key.get_secret_value() if settings.key else None)
    if url is None or secret is None:
        raise Stop("agw rho sync is not connected: name the service with --url, and its key with --key or AGW_KEY.")
    if project is None:
        raise Stop("agw rho sync: name the project with --project.", 2)

    async def sent() -> Upload:
        envelope = await _made(session, repository, mission_dir, settings, upload=True)
        subject = (await asyncio.to_thread(take_apart, envelope)).subject
        name = subject.name if mission_dir is None and subject.kind == "session" and subject.name and is_name(subject.name) else None
        async with AsyncRhoClient(url, secret, trust_env=False) as client:
            return await client.sync(envelope, project, name)

    try:
        done = _run(_named(session, mission_dir), sent())
    except RhoFailure as failure:
        if failure.code is not None:
            print_json({"ok": False, "error": {"kind": failure.code}})
        raise Stop(f"{url} refuses the graph (HTTP {failure.status}): {failure}") from failure
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Stop(f"{url} did not answer ({type(error).__name__}): check --url, and try again.") from error
    told = {"accepted": True, "duplicate": done.duplicate, "facts": done.facts, "graph_digest": done.graph_digest, "sync_id": done.sync_id}
    print_json({"ok": True, **told})


async def _made(session: str | None, repository: str | None, mission_dir: Path | None, settings: Settings, *, upload: bool) -> Any:
    if mission_dir is not None:
        if session is not None or repository is not None:
            raise Stop("--mission-dir takes neither a session nor a repository: the mission's file says all.", 2)
        return await read_mission(mission_dir)
    name, scope = trimmed(session or ""), trimmed(repository or "")
    if session is not None and not is_name(name):
        raise Stop(f"{session!r} is no session's id: that has 1 to 128 letters, digits or ._- (such as claude-code.5f1c).", 2)
    if not is_repository(scope):
        raise Stop("--repository: at most 256 bytes, without control characters.", 2)
    async with gateway(settings) as through:
        return read_json(await through.rho_session(name or None, scope or None, upload=upload))


def _run(named: str, work: Coroutine[Any, Any, T]) -> T:
    """What came of it; a refusal is printed as JSON and ends the command with 1."""
    try:
        return asyncio.run(work)
    except Refused as refused:
        print_json({"ok": False, "error": refused.told()})
        raise Stop(f"{named} is refused: {refused.message}.") from refused


def _named(session: str | None, mission_dir: Path | None) -> str:
    return str(mission_dir) if mission_dir is not None else "The session" if session is None else session


def _content(file: str) -> bytes:
    """A file's bytes, one more at most than may be."""
    if file == "-":
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    with Path(file).open("rb") as opened:
        return opened.read(MOST_BYTES + 1)
