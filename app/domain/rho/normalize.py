"""Making a graph fit to leave the machine: private attributes hashed, the document bound to its id (section D, G45)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.rho.envelope import Document, facts, without_query
from app.domain.rho.json_text import write_json
from app.domain.rho.parts import check_attribute_bounds, joined
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.sensitive import is_sensitive
from app.domain.rho.texts import sha256_hex
from app.domain.rho.validate import check_caps, check_tenant, validate


@dataclass(frozen=True)
class Prepared:
    """A document ready for upload: itself, its exact text, what it was made from, and the id it is sent under."""

    document: Document
    json: str
    query_sha256: str
    sync_id: str
    facts: int

    @property
    def bytes(self) -> int:
        """Length of the text in UTF-8."""
        return len(self.json.encode())


def normalized_attributes(attributes: Mapping[str, str], path: str = "attributes") -> dict[str, str]:
    """The attributes with sensitive ones renamed and hashed (G33-G37).

    Raises: Refused: two keys become one (G38), or a bound is broken afterwards (G39).
    """
    found: dict[str, str] = {}
    for key in sorted(attributes):
        sensitive = is_sensitive(key)
        name = f"{key}_sha256" if sensitive else key
        if name in found:
            raise Refused("attribute_collision", joined(path, name))
        found[name] = sha256_hex(attributes[key]) if sensitive else attributes[key]
    check_attribute_bounds(found, path)
    return found


def normalized(envelope: Document) -> Document:
    """The envelope with the attributes of its nodes and edges normalized; nothing else differs (G40)."""
    return {
        **envelope,
        **{name: [_fact(fact, f"{name}[{place}]") for place, fact in enumerate(envelope[name])] for name in ("nodes", "edges")},
    }


def prepare(document: Any) -> Prepared:
    """A local document made ready for upload (G26, G45).

    Raises: Refused: not portable, over a cap, with a tenant, or not fit for the cloud profile once normalized.
    """
    validate(document, Profile.PORTABLE)
    envelope = without_query(document)
    check_caps(envelope)
    check_tenant(envelope)
    envelope = normalized(envelope)
    query_sha256 = sha256_hex(write_json(envelope))
    envelope["query_sha256"] = query_sha256
    validate(envelope, Profile.CLOUD)
    text = write_json(envelope)
    return Prepared(envelope, text, query_sha256, f"graph_{sha256_hex(text)}", facts(envelope))


def _fact(fact: Document, path: str) -> Document:
    if "attributes" not in fact:
        return fact
    return {**fact, "attributes": normalized_attributes(fact["attributes"], f"{path}.attributes")}
