"""`agw query`: any GraphQL operation (O9)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import orjson

from app.cli.as_of import as_of
from app.cli.event_files import STANDARD_INPUT
from app.cli.gateway import first_error, gateway
from app.cli.output import print_json
from app.cli.settings import settings_for
from app.cli.stop import Stop
from app.services.clock import system_clock
from app.settings import Settings


def query(document: str, *, variables: list[str], as_of_text: str | None, data_dir: Path | None) -> None:
    """Prints the answer as JSON, errors included; exit 1 if it has any."""
    text = _document(document)
    if not text.strip():
        raise Stop(f"{_named(document)}: no GraphQL operation. Give one, a file with one, or - for standard input.", 2)
    given = dict(_variable(pair) for pair in variables)
    if as_of_text is not None:
        if "$asOf" not in text:
            raise Stop("--as-of: the operation has no variable $asOf: AsOf that could take it.", 2)
        given["asOf"] = as_of(as_of_text, system_clock())
    answer = asyncio.run(_answer(settings_for(data_dir=data_dir), text, given))
    print_json(answer)
    if answer.get("errors"):
        raise Stop(first_error(answer))


async def _answer(settings: Settings, text: str, variables: dict[str, Any]) -> dict[str, Any]:
    async with gateway(settings) as through:
        return await through.answer(text, variables)


def _document(given: str) -> str:
    if "{" in given or not given.strip():
        return given
    try:
        return sys.stdin.buffer.read().decode() if given == STANDARD_INPUT else Path(given).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Stop(f"{given}: no such file, and no GraphQL operation either.") from error
    except IsADirectoryError as error:
        raise Stop(f"{given}: this is a folder. A file with a GraphQL operation is needed.") from error
    except UnicodeDecodeError as error:
        raise Stop(f"{_named(given)}: this is no text. A file with a GraphQL operation is needed.") from error


def _named(given: str) -> str:
    return "standard input" if given == STANDARD_INPUT else given.strip() or "an empty text"


def _variable(pair: str) -> tuple[str, Any]:
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise Stop(f"--var {pair}: give it as name=value.", 2)
    try:
        return name.strip().removeprefix("$"), orjson.loads(value)
    except orjson.JSONDecodeError:
        return name.strip().removeprefix("$"), value
