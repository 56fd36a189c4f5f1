"""Checking the parts of a fact, one after the other (G3-G7, G11, G27, G30, G39). Each check raises the first failure that it meets."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from app.domain.rho.problems import Refused
from app.domain.rho.texts import is_blank, is_longer
from app.domain.rho.timestamps import ZERO_NS, read_ns
from app.domain.rho.vocabulary import (
    EVIDENCE_BOUNDS,
    EVIDENCE_FIELDS,
    MOST_ATTRIBUTES,
    MOST_EVIDENCE,
    MOST_ID,
    MOST_KEY,
    MOST_VALUE,
    NODE_KINDS,
    PROVENANCE_BOUNDS,
    PROVENANCE_FIELDS,
    REFERENCE_FIELDS,
    SCOPE_BOUNDS,
    SCOPE_FIELDS,
)

Fields = dict[str, Any]


@dataclass(frozen=True)
class Strictness:
    """`closed`: no fields beyond the contract's (G27); `bounded`: texts, evidence and attributes have bounds (G30, G39)."""

    closed: bool
    bounded: bool

    def object(self, value: Any, allowed: Set[str], path: str) -> Fields:
        """A JSON object, without further fields where closed."""
        if not isinstance(value, dict):
            raise Refused("wrong_type", path)
        if self.closed:
            self.no_more(value, allowed, path)
        return value

    def no_more(self, value: Fields, allowed: Set[str], path: str) -> None:
        """Refuses the first field, in the order of names, that is not allowed."""
        if not value.keys() <= allowed:
            raise Refused("unknown_field", joined(path, min(value.keys() - allowed)))

    def id(self, holder: Fields, path: str) -> str:
        """The id of a fact or of a reference."""
        found = text_of(holder, "id", path)
        if is_blank(found):
            raise Refused("blank_id", joined(path, "id"))
        if self.bounded and is_longer(found, MOST_ID):
            raise Refused("string_too_long", joined(path, "id"))
        return found

    def optional_texts(self, holder: Fields, bounds: Mapping[str, int], path: str) -> None:
        """Texts that may be absent."""
        for name, most in bounds.items():
            if name in holder:
                found = text_of(holder, name, path)
                if self.bounded and is_longer(found, most):
                    raise Refused("string_too_long", joined(path, name))

    def reference(self, holder: Fields, name: str, path: str) -> tuple[str, str]:
        """What an edge or an event points at: kind and id (G6)."""
        where = joined(path, name)
        found = self.object(field_of(holder, name, path), REFERENCE_FIELDS, where)
        id = self.id(found, where)
        return word_of(found, "kind", NODE_KINDS, "unknown_node_kind", where), id

    def scope(self, holder: Fields, path: str) -> None:
        """A scope, where there is one (G5)."""
        if "scope" in holder:
            where = joined(path, "scope")
            self.optional_texts(self.object(holder["scope"], SCOPE_FIELDS, where), SCOPE_BOUNDS, where)

    def provenance(self, holder: Fields, path: str) -> None:
        """Where a fact comes from (G7)."""
        where = joined(path, "provenance")
        found = self.object(field_of(holder, "provenance", path), PROVENANCE_FIELDS, where)
        if is_blank(text_of(found, "producer", where)):
            raise Refused("blank_producer", joined(where, "producer"))
        self.optional_texts(found, PROVENANCE_BOUNDS, where)
        if "evidence" in found:
            self._evidence(found["evidence"], joined(where, "evidence"))

    def _evidence(self, value: Any, path: str) -> None:
        if not isinstance(value, list):
            raise Refused("wrong_type", path)
        if self.bounded and len(value) > MOST_EVIDENCE:
            raise Refused("too_much_evidence", path)
        for place, item in enumerate(value):
            where = f"{path}[{place}]"
            found = self.object(item, EVIDENCE_FIELDS, where)
            if is_blank(text_of(found, "uri", where)):
                raise Refused("blank_evidence_uri", joined(where, "uri"))
            self.optional_texts(found, EVIDENCE_BOUNDS, where)

    def attributes(self, holder: Fields, path: str) -> dict[str, str]:
        """A flat object from text to text (G11), empty where there is none."""
        where = joined(path, "attributes")
        found = holder.get("attributes", {})
        if not isinstance(found, dict):
            raise Refused("wrong_type", where)
        for key in sorted(found):
            if not isinstance(found[key], str):
                raise Refused("attribute_not_string", joined(where, key))
        if self.bounded:
            check_attribute_bounds(found, where)
        return found


def check_attribute_bounds(attributes: Mapping[str, str], path: str) -> None:
    """Refuses attributes that are too many, or whose keys or values are too long (G39)."""
    if len(attributes) > MOST_ATTRIBUTES:
        raise Refused("too_many_attributes", path)
    for key in sorted(attributes):
        if not key or is_longer(key, MOST_KEY):
            raise Refused("attribute_key_length", joined(path, key))
        if is_longer(attributes[key], MOST_VALUE):
            raise Refused("attribute_value_length", joined(path, key))


def timestamp(holder: Fields, name: str, path: str, *, required: bool = True) -> None:
    """A time of a fact or of the envelope (G3); where it is required, the zero instant will not do (G4)."""
    if not required and name not in holder:
        return
    ns = read_ns(text_of(holder, name, path))
    if ns is None:
        raise Refused("invalid_timestamp", joined(path, name))
    if required and ns == ZERO_NS:
        raise Refused("zero_timestamp", joined(path, name))


def field_of(holder: Fields, name: str, path: str) -> Any:
    """A field that must be there."""
    if name not in holder:
        raise Refused("missing_field", joined(path, name))
    return holder[name]


def text_of(holder: Fields, name: str, path: str) -> str:
    """A field that must be there and be a text."""
    found = holder.get(name)
    if not isinstance(found, str):
        field_of(holder, name, path)
        raise Refused("wrong_type", joined(path, name))
    return found


def word_of(holder: Fields, name: str, words: frozenset[str], otherwise: str, path: str) -> str:
    """A field that must be one of some words, spelled exactly so."""
    found = text_of(holder, name, path)
    if found not in words:
        raise Refused(otherwise, joined(path, name))
    return found


def joined(path: str, name: str) -> str:
    """The path of a field."""
    return f"{path}.{name}" if path else name
