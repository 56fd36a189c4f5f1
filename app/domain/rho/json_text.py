"""JSON as the contract reads and writes it (G14)."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

from app.domain.rho.problems import Refused

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ALSO_ESCAPED = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"), check_circular=False).encode


def read_json(text: bytes | str) -> Any:
    """The value of a JSON text.

    Raises: Refused(`invalid_json`): not UTF-8, not JSON, a key twice in one object, a lone surrogate, a number beyond all bounds.
    """
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        value = json.loads(decoded, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite)
        if not isinstance(text, bytes):
            text.encode()  # fails on a lone surrogate
        if "\\u" in decoded and _ESCAPED_SURROGATE.search(decoded):
            _encode(value).encode()
    except (ValueError, RecursionError) as error:
        raise Refused("invalid_json", "") from error
    return value


def write_json(value: Any) -> str:
    """`J(x)`: no spaces, keys in the order of their UTF-8 bytes, and the escapes of G14; arrays stay as they are.

    Raises: Refused(`invalid_json`): nested too deeply to be written, or a number that JSON has not.
    """
    try:
        return _escaped(_encode(value))
    except (ValueError, RecursionError) as error:
        raise Refused("invalid_json", "") from error


def write_fact(value: Any) -> str:
    """`J(x)` of a fact of a valid envelope, several times faster: it has no numbers, which the library would write otherwise."""
    return _escaped(orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode())


def _escaped(text: str) -> str:
    for char, escape in _ALSO_ESCAPED.items():  # looking for each is faster than one pattern, as hardly any text has them
        text = text.replace(char, escape)
    return text


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("the number is beyond all bounds")
    return number
