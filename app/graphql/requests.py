"""What a request's members ask for, whichever way they came (Q29, Q30)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.graphql.persisted import PersistedQueries, hash_of, is_hash_of
from app.graphql.running import Asked


class BadRequest(Exception):  # noqa: N818 - an answer, not a fault of ours
    """No GraphQL request, with the status that says why (Q43)."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Requests:
    """Reads requests' members, and knows the documents that were persisted."""

    def __init__(self) -> None:
        self._persisted = PersistedQueries()

    def asked(self, members: dict[str, Any]) -> Asked:
        """What a request's members ask for, with the document that its hash stands for (Q30). Raises: BadRequest, Refused."""
        extensions = members.get("extensions")
        if not isinstance(extensions, dict) or extensions.get("persistedQuery") is None:
            return _asked(members)
        try:
            name = hash_of(extensions["persistedQuery"])
        except ValueError as wrong:
            raise BadRequest(400, str(wrong)) from None
        if not members.get("query"):
            return _asked({**members, "query": self._persisted.text(name)})
        asked = _asked(members)
        if not is_hash_of(name, asked.query):
            raise BadRequest(400, "extensions.persistedQuery.sha256Hash is not that of query.")
        return replace(asked, persisted=name)

    def keep(self, asked: Asked) -> None:
        """Its document can be run: it is persisted, if that was asked for."""
        if asked.persisted is not None:
            self._persisted.keep(asked.persisted, asked.query)


def _asked(members: dict[str, Any]) -> Asked:
    query, variables, name, extensions = (members.get(key) for key in ("query", "variables", "operationName", "extensions"))
    if not isinstance(query, str) or not query.strip():
        raise BadRequest(400, "query is the text of a GraphQL document.")
    if variables is not None and not isinstance(variables, dict):
        raise BadRequest(400, "variables is a JSON object.")
    if name is not None and not isinstance(name, str):
        raise BadRequest(400, "operationName is a text.")
    if extensions is not None and not isinstance(extensions, dict):
        raise BadRequest(400, "extensions is a JSON object.")
    return Asked(query, variables or {}, name or None)
