"""From a node of Agent Graph to Rho graphs: what stands for it, and what it comes to as one (M12, M21-M32)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from strawberry.types import Info

from app.domain.forest import ShownRow
from app.domain.problems import BadUserInput
from app.domain.rho.agent_graph import SessionExport
from app.domain.rho.envelope import canonical_json, facts
from app.domain.rho.names import is_repository
from app.domain.rho.texts import sha256_hex, trimmed
from app.graphql.context import Context
from app.graphql.reading import Reading
from app.graphql.rho.reading import Batch
from app.graphql.types.inputs import given

if TYPE_CHECKING:
    from app.graphql.types.rho_facts import RhoNode
    from app.graphql.types.rho_parts import RhoExport


async def rho_node_of(info: Info[Context, None], ref: str) -> RhoNode | None:
    """The Rho node that stands for a session or an agent, now."""
    from app.graphql.types.rho_facts import node_of

    rho = info.context.rho
    return node_of(rho, await rho.mirror_of(ref))


async def rho_export_of(info: Info[Context, None], reading: Reading, row: ShownRow, repository: str | None) -> RhoExport | None:
    """A session as a Rho graph, as of the event that the moment is just after. None for an agent. Raises: BadUserInput."""
    from app.graphql.types.rho_parts import RhoExport

    scope = trimmed(given(repository) or "")
    if not is_repository(scope):
        raise BadUserInput("repository", "It has at most 256 bytes and no control characters.")
    if row["kind"] != "session":
        return None
    found = await _exports(info.context, reading, scope or None).one(row["ref"])
    if found is None:
        return None
    info.context.spend(facts(found.envelope))
    text = await asyncio.to_thread(canonical_json, found.envelope)
    return RhoExport(session_id=found.sid, snapshot_json=text, digest=sha256_hex(text), outside_reference_count=found.outside)


def _exports(context: Context, reading: Reading, repository: str | None) -> Batch[str, SessionExport]:
    """All sessions of a moment that are asked for at once."""

    async def read(refs: list[str]) -> Mapping[str, SessionExport]:
        return await context.in_turn(context.services.rho.sessions.at_event(reading.at, refs, context.deadline, repository))

    known = reading.exports.get(repository)
    if known is None:
        known = reading.exports[repository] = Batch(read)
    return known
