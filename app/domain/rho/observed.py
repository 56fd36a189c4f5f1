"""Facts of one observation, as the components that Rho works with report them (G22, G23): digests and counts, never a text."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from app.domain.rho.building import ZERO, Reference, moment
from app.domain.rho.envelope import Document
from app.domain.rho.texts import is_blank


def parts_digest(*parts: str) -> str:
    """SHA-256 over parts, each written as its length in bytes, a colon and its bytes: no two lists of parts are written alike (G22)."""
    made = sha256()
    for part in parts:
        data = part.encode()
        made.update(b"%d:%b" % (len(data), data))
    return made.hexdigest()


def text_digest(text: str | None) -> str | None:
    """The digest that stands in for one text; None for a blank one, whose attribute is left out (G24.10)."""
    return None if text is None or is_blank(text) else parts_digest(text)


class Observation:
    """A subgraph that grows, for a `runtime` entry of the journal (G76). Every node in it is observed at the one time."""

    def __init__(self, producer: str, observed_at: str, source_id: str) -> None:
        """Raises: Refused: no time."""
        self.time = moment(observed_at)
        self._producer = producer
        self._provenance = {"producer": producer, "source_id": source_id}
        self._nodes: list[Document] = []
        self._edges: list[Document] = []
        self._events: list[Document] = []

    def node(self, kind: str, entity: str, digest: str, attributes: Mapping[str, str | None], *, named: str | None = None) -> Reference:
        """A node with its `observed` event. Its id has the entity's name, `named` where that is shorter, and the digest."""
        reference = Reference(kind, f"{self._producer}/{named or entity}/{digest}")
        present = {name: value for name, value in attributes.items() if value}
        self._nodes.append({"id": reference.id, "kind": kind, **self._common(), "attributes": {"entity": entity, **present}})
        self._events.append(
            {
                "id": f"{self._producer}/observed/{parts_digest(reference.id, self.time)}",
                "type": "observed",
                "subject": reference.told(),
                "occurred_at": self.time,
                "scope": {},
                "provenance": self._provenance,
            }
        )
        return reference

    def depends(self, source: Reference, target: Reference) -> None:
        """Says what a node was derived from (G19)."""
        id = f"{self._producer}/edge/{parts_digest(source.id, target.id)}"
        self._edges.append({"id": id, "kind": "depends_on", "from": source.told(), "to": target.told(), **self._common()})

    def content(self) -> Document:
        """The entry's content."""
        return {"source": self._producer, "nodes": self._nodes, "edges": self._edges, "events": self._events}

    def _common(self) -> Document:
        return {"created_at": self.time, "effective_at": ZERO, "scope": {}, "provenance": self._provenance}
