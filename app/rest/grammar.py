"""The query string (R18-R22): which parameters an operation takes, and what their values say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

from app.domain.filters import Range
from app.domain.ids import event_own_id
from app.domain.moments import AsOf
from app.rest.errors import Refused, quoted

_KEY: Final = re.compile(r"([a-z_]+)(\[(?:[a-z]*|[0-9]+)\])?", re.ASCII)
_INTEGER: Final = re.compile(r"-?[0-9]{1,16}", re.ASCII)
_TIME: Final = re.compile(r"[0-9]{1,16}", re.ASCII)
BOUNDS: Final = ("gt", "gte", "lt", "lte")


@dataclass(frozen=True, slots=True)
class Text:
    """1 to `most` characters. `form` says what they are: a node id, or anything."""

    most: int
    form: str = ""

    def read(self, text: str) -> Any:
        """The value. Raises: ValueError with what is wrong."""
        if not 1 <= len(text) <= self.most:
            raise ValueError(f"It has 1 to {self.most:,} characters.")
        return text


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number within bounds."""

    low: int
    high: int | None = None
    default: int | None = None

    def read(self, text: str) -> Any:
        """The value. Raises: ValueError with what is wrong."""
        number = _integer(text)
        if number < self.low or (self.high is not None and number > self.high):
            raise ValueError(f"It is from {self.low} to {self.high:,}." if self.high else f"It is {self.low} or more.")
        return number


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`."""

    def read(self, text: str) -> Any:
        """The value. Raises: ValueError with what is wrong."""
        if text not in ("true", "false"):
            raise ValueError("It is true or false.")
        return text == "true"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]
    default: str | None = None

    def read(self, text: str) -> Any:
        """The value. Raises: ValueError with what is wrong."""
        if text not in self.words:
            raise ValueError(f"It is one of {', '.join(self.words)}.")
        return text


@dataclass(frozen=True, slots=True)
class Point:
    """A point in history (R22)."""

    def read(self, text: str) -> Any:
        """The value. Raises: ValueError with what is wrong."""
        if _TIME.fullmatch(text):
            return AsOf(time_ms=int(text))
        own_id = event_own_id(text)
        if own_id is None:
            raise ValueError("It is an event's id, or a time in Unix milliseconds.")
        return AsOf(event=own_id)


@dataclass(frozen=True, slots=True)
class Many:
    """Any number of values, up to `most`, each one of `words` if there are any (R20)."""

    words: tuple[str, ...] = ()
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """A range of times, Unix milliseconds (R21)."""


Scalar: TypeAlias = Text | Integer | Boolean | Choice | Point
Kind: TypeAlias = Scalar | Many | Bounds
Parameters: TypeAlias = Mapping[str, Kind]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query string says: its pairs as sent, decoded, and the `values` of its parameters."""

    pairs: Sequence[tuple[str, str]] = ()
    values: dict[str, Any] = field(default_factory=dict)

    def get(self, name: str, otherwise: Any = None) -> Any:
        """A parameter's value: of the kind `Many` a list, of `Bounds` a `Range`."""
        return self.values.get(name, otherwise)


def pairs_of(query: str) -> list[tuple[str, str]]:
    """The pairs of a form-encoded query string."""
    return parse_qsl(query, keep_blank_values=True, errors="replace")


def read(pairs: Iterable[tuple[str, str]], taken: Parameters) -> Asked:
    """What a query string says to an operation that takes these parameters. The first that is wrong is the error. Raises: Refused."""
    asked = Asked(list(pairs))
    for key, text in asked.pairs:
        found = _KEY.fullmatch(key)
        name, brackets = (None, None) if found is None else found.groups()
        if name is None or name not in taken:
            raise _unknown(key if name is None else name)
        _take(asked.values, name, brackets, text, key, taken[name])
    return asked


def invalid(name: str, message: str) -> Refused:
    """A value that cannot be used."""
    return Refused("parameter_invalid", message, name)


def _take(values: dict[str, Any], name: str, brackets: str | None, text: str, key: str, kind: Kind) -> None:
    inside = (brackets or "")[1:-1]
    if isinstance(kind, Bounds):
        _take_bound(values, name, inside, text)
    elif isinstance(kind, Many):
        if inside.isalpha():
            raise _unknown(key)
        if kind.words and text not in kind.words:
            raise invalid(name, f"{name}: each is one of {', '.join(kind.words)}.")
        listed = values.setdefault(name, [])
        listed.append(text)
        if kind.most is not None and len(listed) > kind.most:
            raise invalid(name, f"{name}: at most {kind.most}.")
    elif brackets is not None:
        raise _unknown(key)
    elif name in values:
        raise invalid(name, f"{name} is given once.")
    else:
        try:
            values[name] = kind.read(text)
        except ValueError as error:
            raise invalid(name, f"{name}: {error}") from None


def _take_bound(values: dict[str, Any], name: str, bound: str, text: str) -> None:
    if bound not in BOUNDS:
        raise invalid(name, f"{name} is given with a bound: {', '.join(f'{name}[{each}]' for each in BOUNDS)}.")
    try:
        number = _integer(text)
    except ValueError as error:
        raise invalid(f"{name}[{bound}]", f"{name}[{bound}]: {error}") from None
    values[name] = replace(values.get(name, Range()), **{bound: number})


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError("It is a whole number.")
    return int(text)


def _unknown(param: str) -> Refused:
    return Refused("parameter_unknown", f"There is no parameter {quoted(param)} here.", param)
