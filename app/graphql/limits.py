"""Limits before execution (Q35): all linear in the document, and before anything of it is validated or run.

A fragment counts wherever it is used: its tokens, aliases, directives and levels are worked out once and added up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from graphql import (
    DefinitionNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    Node,
    OperationDefinitionNode,
    SelectionSetNode,
)

from app.domain.problems import Problem
from app.graphql.overlaps import check_overlaps
from app.services.viewer import Viewer
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits in force; each is the most that is allowed."""

    tokens: int = 4_000
    depth: int = 30
    aliases: int = 100
    root_fields: int = 20
    directives: int = 50
    node_budget: int = 100_000


def most_body_bytes(settings: Settings, viewer: Viewer) -> int:
    """The largest body of a request of this caller, in bytes (Q33)."""
    return settings.write_body_bytes if viewer.may("write") else settings.body_bytes


class TooManyTokens(Problem):
    """The document is too long, fragments counted wherever they are used."""

    code = "TOO_MANY_TOKENS"


class TooDeep(Problem):
    """The operation, or a value in it, is nested too deeply."""

    code = "QUERY_TOO_DEEP"


class TooManyAliases(Problem):
    """Too many aliases or root fields."""

    code = "TOO_MANY_ALIASES"


class TooManyDirectives(Problem):
    """Too many directives."""

    code = "QUERY_TOO_COMPLEX"


class CircularFragments(Problem):
    """A fragment that contains itself."""

    code = "GRAPHQL_VALIDATION_FAILED"


MOST_BRACKETS = 100
"""How deep brackets of any kind may nest: less than what the parser's own recursion bears."""

LONGEST_TOKEN = 25
"""How many characters a token may have in the middle: even a short document takes long to read with huge texts in it."""

_TOKEN = re.compile(
    r'"""(?:\\"""|[^"]|"(?!""))*(?:""")?|"(?:\\.|[^"\\\n])*"?|#[^\n\r]*|\.\.\.|(?P<open>[({\[])|(?P<close>[)}\]])|[_A-Za-z][_0-9A-Za-z]*'
    r"|-?[0-9][0-9.eE+-]*|[^\s,﻿]"
)


def check_text(text: str, limits: Limits) -> None:
    """Refuses a text that is too long or too deeply nested to be parsed. Raises: TooManyTokens, TooDeep."""
    if len(text) > limits.tokens * LONGEST_TOKEN:
        raise TooManyTokens(f"The document has more than {limits.tokens * LONGEST_TOKEN:,} characters: give long values as variables.")
    count = depth = 0
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind == "open":
            depth += 1
            if depth > MOST_BRACKETS:
                raise TooDeep(f"The document nests more than {MOST_BRACKETS} brackets.")
        elif kind == "close":
            depth -= 1
        elif text[found.start()] == "#":
            continue
        count += 1
        if count > limits.tokens:
            raise TooManyTokens(f"The document has more than {limits.tokens:,} tokens.")


@dataclass(slots=True)
class _Size:
    tokens: int = 0
    depth: int = 0
    aliases: int = 0
    directives: int = 0


def check_document(document: DocumentNode, limits: Limits) -> None:
    """Refuses a document that is too large when its fragments are counted wherever they are used.

    Raises: TooManyTokens, TooDeep, TooManyAliases, TooManyDirectives, CircularFragments, TooComplex.
    """
    fragments = {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}
    known: dict[str, _Size | None] = {}
    for definition in document.definitions:
        size = _measured(definition, fragments, known)
        if isinstance(definition, OperationDefinitionNode):
            _check(size, limits)
            if (roots := _root_fields(definition.selection_set, fragments, limits.root_fields + 1)) > limits.root_fields:
                raise TooManyAliases(f"The operation has more than {limits.root_fields} root fields: {roots} or more.")
    check_overlaps(document, fragments)


def _check(size: _Size, limits: Limits) -> None:
    if size.tokens > limits.tokens:
        raise TooManyTokens(f"With its fragments the operation has more than {limits.tokens:,} tokens.", limit=limits.tokens)
    if size.depth > limits.depth:
        raise TooDeep(f"The operation is {size.depth} levels deep; {limits.depth} are allowed.", limit=limits.depth)
    if size.aliases > limits.aliases:
        raise TooManyAliases(f"The operation has {size.aliases} aliases; {limits.aliases} are allowed.", limit=limits.aliases)
    if size.directives > limits.directives:
        raise TooManyDirectives(
            f"The operation has {size.directives} directives; {limits.directives} are allowed.",
            cost=size.directives,
            limit=limits.directives,
        )


def _measured(definition: DefinitionNode, fragments: Mapping[str, FragmentDefinitionNode], known: dict[str, _Size | None]) -> _Size:
    name = definition.name.value if isinstance(definition, FragmentDefinitionNode) else None
    if name is not None:
        if name in known:
            size = known[name]
            if size is None:
                raise CircularFragments(f"The fragment {name[:100]} contains itself.")
            return size
        known[name] = None
    size = _Size(tokens=_tokens(definition), directives=len(getattr(definition, "directives", None) or ()))
    selections = getattr(definition, "selection_set", None)
    if selections is not None:
        _add(selections, 1, size, fragments, known)
    if name is not None:
        known[name] = size
    return size


def _add(
    selections: SelectionSetNode, level: int, size: _Size, fragments: Mapping[str, FragmentDefinitionNode], known: dict[str, _Size | None]
) -> None:
    for each in selections.selections:
        size.directives += len(each.directives or ())
        if isinstance(each, FragmentSpreadNode):
            fragment = fragments.get(each.name.value)
            if fragment is not None:
                used = _measured(fragment, fragments, known)
                size.tokens += used.tokens
                size.aliases += used.aliases
                size.directives += used.directives
                size.depth = max(size.depth, level - 1 + used.depth)
            continue
        if isinstance(each, FieldNode):
            size.aliases += each.alias is not None
            size.depth = max(size.depth, level)
            if each.selection_set is not None:
                _add(each.selection_set, level + 1, size, fragments, known)
        elif isinstance(each, InlineFragmentNode):
            _add(each.selection_set, level, size, fragments, known)


def _root_fields(selections: SelectionSetNode, fragments: Mapping[str, FragmentDefinitionNode], enough: int) -> int:
    count = 0
    for each in selections.selections:
        if isinstance(each, FieldNode):
            count += 1
        elif isinstance(each, FragmentSpreadNode):
            fragment = fragments.get(each.name.value)
            count += 0 if fragment is None else _root_fields(fragment.selection_set, fragments, enough - count)
        elif isinstance(each, InlineFragmentNode):
            count += _root_fields(each.selection_set, fragments, enough - count)
        if count >= enough:
            return count
    return count


def _tokens(node: Node) -> int:
    place = node.loc
    if place is None:
        return 0
    token, count = place.start_token, 1
    while token is not place.end_token and token.next is not None:
        token = token.next
        count += 1
    return count
