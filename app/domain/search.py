"""The search language (R52-R54): read once, then asked of each row."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeAlias

from app.domain.forest import ShownRow
from app.domain.ids import node_id
from app.domain.problems import SearchQueryInvalid

Test: TypeAlias = Callable[[ShownRow], bool]

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<minus>-(?=[a-z_]))
      | (?P<number>-?[0-9]+(?:\.[0-9]+)?)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<op>>=|<=|[:~><])
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

_TEXT = frozenset(("state", "kind", "provider", "agent_type", "title", "summary", "headline", "purpose", "attention"))
_BOOL = frozenset(("stale", "blocked", "background"))
_ID = {"parent_id": "parent", "root_id": "root", "session_id": "session"}
_NUMBER_FIELDS = frozenset(
    ("depth", "created", "ended", "last_event", "child_count", "descendant_count", "open_tasks", "blocked_open_tasks")
)  # fmt: skip

SHORTEST_PART = 3
"""The least characters that `~` looks for (R53)."""


def search(query: str, argument: str) -> Test:
    """The test that `query` puts to a row; `argument` names it in an error.

    Raises: SearchQueryInvalid, with the position where one applies.
    """
    return _Reader(query, argument).query()


class _Reader:
    def __init__(self, text: str, argument: str) -> None:
        self._text = text
        self._argument = argument
        self._at = 0

    def query(self) -> Test:
        tests = [self._clause()]
        joiner = None
        while not self._done():
            start = self._at
            kind, word = self._next("AND or OR")
            if kind != "word" or word not in ("AND", "OR"):
                raise self._wrong("Clauses are joined by AND or by OR, in upper case.", start)
            if joiner not in (None, word):
                raise self._wrong("Clauses are joined all by AND or all by OR.", start)
            joiner = word
            tests.append(self._clause())
        if len(tests) == 1:
            return tests[0]
        if joiner == "AND":
            return lambda row: all(test(row) for test in tests)
        return lambda row: any(test(row) for test in tests)

    def _clause(self) -> Test:
        start = self._at
        kind, field = self._next("a field")
        negated = kind == "minus"
        if negated:
            start = self._at
            kind, field = self._next("a field")
        if kind != "word":
            raise self._wrong("A clause begins with a field.", start)
        at_op = self._at
        kind, op = self._next("an operator")
        if kind != "op":
            raise self._wrong("A field is followed by one of : ~ > >= < <=.", at_op)
        at_value = self._at
        kind, value = self._next("a value")
        if kind not in ("string", "number") and (kind, value) != ("word", "null"):
            raise self._wrong("A value is a quoted text, a number or null.", at_value)
        test = self._test(field, op, kind, value, start)
        return (lambda row: not test(row)) if negated else test

    def _test(self, field: str, op: str, kind: str, value: str, at: int) -> Test:
        read = self._read(field)
        if read is None:
            raise self._wrong(f"There is no field {field}.", at)
        if kind == "word":
            if op != ":":
                raise self._wrong("null goes with : only.", at)
            return lambda row: read(row) is None
        if field in _NUMBER_FIELDS:
            return self._number(read, op, value, at)
        if op == "~" and field in _TEXT:
            return self._contains(read, kind, value, at)
        if op != ":":
            raise self._wrong(f"The field {field} does not take {op}.", at)
        if field in _BOOL:
            if kind != "string" or value not in ("true", "false"):
                raise self._wrong(f'The field {field} is "true" or "false", quoted.', at)
            wanted = value == "true"
            return lambda row: read(row) is wanted
        if field in _ID:
            return lambda row: read(row) == value
        folded = value.lower()
        return lambda row: (text := read(row)) is not None and text.lower() == folded

    def _contains(self, read: Callable[[ShownRow], Any], kind: str, value: str, at: int) -> Test:
        if kind != "string" or len(value) < SHORTEST_PART:
            raise self._wrong(f"~ looks for a quoted text of at least {SHORTEST_PART} characters.", at)
        folded = value.lower()
        return lambda row: (text := read(row)) is not None and folded in text.lower()

    def _number(self, read: Callable[[ShownRow], Any], op: str, value: str, at: int) -> Test:
        text = value.strip()
        number = float(text) if _NUMBER.fullmatch(text) else math.inf
        if not math.isfinite(number) or op == "~":
            raise self._wrong("A number is compared with a number by : > >= < <=.", at)
        compare: Callable[[float], bool] = {
            ":": number.__eq__, ">": number.__lt__, ">=": number.__le__, "<": number.__gt__, "<=": number.__ge__
        }[op]  # fmt: skip
        return lambda row: (found := read(row)) is not None and compare(float(found))

    def _read(self, field: str) -> Callable[[ShownRow], Any] | None:
        if field in _ID:
            column = _ID[field]
            return lambda row: None if (ref := row.get(column)) is None else node_id(ref)
        if field == "blocked":
            return lambda row: row.get("blocked_node_count") is not None
        if field == "open_tasks":
            return lambda row: row["tasks_pending"] + row["tasks_in_progress"]
        if field in _TEXT or field in _BOOL or field in _NUMBER_FIELDS:
            return lambda row: row.get(field)
        return None

    def _done(self) -> bool:
        return not self._text[self._at :].strip()

    def _next(self, wanted: str) -> tuple[str, str]:
        found = _TOKEN.match(self._text, self._at)
        if found is None or found.lastgroup is None:
            raise self._wrong(f"Expected {wanted}.", self._at + len(self._text[self._at :]) - len(self._text[self._at :].lstrip()))
        self._at = found.end()
        text = found[found.lastgroup]
        return found.lastgroup, _ESCAPED.sub(r"\1", text[1:-1]) if found.lastgroup == "string" else text

    def _wrong(self, message: str, position: int) -> SearchQueryInvalid:
        return SearchQueryInvalid(self._argument, message, position)
