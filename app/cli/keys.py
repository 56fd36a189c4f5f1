"""`agw keys`: making, listing and revoking keys (O10)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from app.cli.as_of import span_ms
from app.cli.gateway import asked, asked_once, gateway
from app.cli.output import note, print_json
from app.cli.settings import settings_for
from app.cli.stop import Stop, plain
from app.services.clock import system_clock
from app.services.viewer import ALL_SCOPES
from app.settings import Settings
from app.web.questions import age, left

_PIPE_WIDTH = 500
_KEY = "id account name scopes graphIds shown created lastUsed expires"
_CREATE = f"mutation($input: CreateKeyInput!) {{ createKey(input: $input) {{ secret key {{ {_KEY} }} }} }}"
_LIST = f"{{ viewer {{ account keys {{ {_KEY} }} }} }}"
_REVOKE = "mutation($id: ID!) { revokeKey(id: $id) { id } }"


def create(
    *, name: str, scopes: list[str], graphs: list[str], expires: str | None, account: str | None, as_json: bool, data_dir: Path | None
) -> None:
    """A new key, shown this once; one that may make graphs and write to them beside the producer's whole command line."""
    span = None if expires is None else span_ms(expires)
    if expires is not None and not span:
        raise Stop(f"--expires {expires}: give an age like 12h, 30d or 4w.", 2)
    given = {
        "name": name,
        "scopes": [scope.upper() for scope in _scopes(scopes)],
        "graphIds": graphs or None,
        "expires": None if span is None else system_clock() + span,
        "account": account,
    }
    settings = settings_for(data_dir=data_dir)
    made, url = asyncio.run(_made(settings, given))
    producer = None
    if "WRITE" in made["key"]["scopes"] and made["key"]["graphIds"] is None:
        producer = f"AGENT_GRAPH_TOKEN={made['secret']} agent-graph watch-remote --url={url}"
    if as_json:
        print_json({**made, "producer": producer})
        return
    sys.stdout.write(f"{made['secret']}\n" + (f"{producer}\n" if producer else ""))
    note("Shown this once: of the key only its hash is kept.")


def list_keys(*, as_json: bool, data_dir: Path | None) -> None:
    """Every key of the account, newest first."""
    viewer = asyncio.run(asked_once(settings_for(data_dir=data_dir), _LIST, {}))["viewer"]
    found = viewer["keys"]
    if found is None:
        raise Stop("Listing keys needs a key with the scope admin: set AGW_KEY to one.")
    if as_json:
        print_json(found)
        return
    from rich.console import Console
    from rich.table import Table

    now = system_clock()
    table = Table(box=None, pad_edge=False)
    for heading in ("ID", "KEY", "SCOPES", "GRAPHS", "LAST USED", "EXPIRES", "NAME"):
        table.add_column(heading, no_wrap=heading not in ("GRAPHS", "NAME"))
    for key in found:
        scopes = " ".join(scope.lower() for scope in key["scopes"])
        graphs = "all" if key["graphIds"] is None else " ".join(key["graphIds"])
        used = "never" if key["lastUsed"] is None else f"{age(now - key['lastUsed'])} ago"
        table.add_row(key["id"], key["shown"], scopes, graphs, used, _end(key["expires"], now), plain(key["name"]))
    Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH).print(table)


def revoke(key_id: str, *, as_json: bool, data_dir: Path | None) -> None:
    """Ends a key and the logins that came from it, from the next request on."""
    if key_id.startswith("ag_"):
        raise Stop("Revoking takes a key's id, not the key itself: agw keys list shows them.", 2)
    revoked = asyncio.run(asked_once(settings_for(data_dir=data_dir), _REVOKE, {"id": key_id}))["revokeKey"]
    if as_json:
        print_json(revoked)
    else:
        sys.stdout.write(f"{revoked['id']} is revoked.\n")


def _scopes(given: list[str]) -> list[str]:
    """Scopes as they are typed: one after the other, or with commas."""
    found = [scope.strip().lower() for text in given for scope in text.split(",")]
    for scope in found:
        if scope not in ALL_SCOPES:
            raise Stop(f"--scope {scope}: give read, write or admin; several, one after the other.", 2)
    return list(dict.fromkeys(found))


def _end(expires: int | None, now: int) -> str:
    if expires is None:
        return "never"
    return f"in {left(expires - now)}" if expires > now else f"{age(now - expires)} ago"


async def _made(settings: Settings, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The new key, and where producers find the gateway."""
    async with gateway(settings) as through:
        made = (await asked(through, _CREATE, {"input": given}))["createKey"]
        if settings.url is None and settings.public_url is not None:
            return made, settings.public_url
        return made, through.where if through.where.startswith("http") else f"http://{settings.host}:{settings.port}"
