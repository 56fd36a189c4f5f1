"""A large JSON text is read as the plain parser reads it, without holding the event loop."""

from __future__ import annotations

import orjson
import pytest

from app.services.large_json import load_json
from tests.turns import turns_beside

ITEM = {"id": "evt", "text": 'é\n"quoted"', "numbers": [1, -2.5, 1e300, 18446744073709551615], "nothing": None, "deep": {"a": [[], {}]}}


@pytest.mark.parametrize(
    "value",
    [
        1,
        [],
        {"query": "q", "variables": {"events": [ITEM] * 5_000}},
        [[ITEM] * 3_000, "x" * 100_000, {}],
        {"one": {"two": {"three": [ITEM] * 2_000}}, "text": "y" * 200_000},
    ],
)
async def test_it_is_what_the_plain_parser_gives(value: object) -> None:
    """Objects, arrays and texts of any size, with white space or without."""
    for options in (None, orjson.OPT_INDENT_2):
        text = orjson.dumps(value, option=options)
        assert await load_json(text) == orjson.loads(text)
        assert await load_json(b" \n" + text) == value


LARGE = orjson.dumps([ITEM] * 2_000)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        LARGE[:-1],
        LARGE + b"]",
        LARGE.replace(b"null", b"nul", 1),
        b"{" + LARGE + b"}",
        LARGE.replace(b"-2.5", b"NaN"),
        b"x" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
    ],
)
async def test_what_is_no_json_is_refused(text: bytes) -> None:
    """As the plain parser refuses it."""
    with pytest.raises(orjson.JSONDecodeError):
        await load_json(text)


async def test_others_run_meanwhile() -> None:
    """A text of several megabytes gives way many times."""
    text = orjson.dumps({"variables": {"events": [ITEM] * 40_000}})
    _, turns = await turns_beside(load_json(text))
    assert turns >= 5
