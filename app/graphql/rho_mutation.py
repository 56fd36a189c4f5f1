"""Taking Rho graphs in by GraphQL (M13)."""

from __future__ import annotations

import asyncio
from typing import Annotated

import orjson
import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.rho.problems import Refused
from app.domain.rho.vocabulary import MOST_BYTES
from app.graphql.context import Context
from app.graphql.types.inputs import given
from app.graphql.types.rho_graphs import RhoSnapshot
from app.graphql.types.scalars import Json
from app.services.rho.importing import SyncIdConflict
from app.services.rho.upload_request import upload_of

_CONFLICTS = ("project_scope_mismatch", "sync_id_conflict")
_TOO_LARGE = "body_too_large"


@strawberry.type(description="A local envelope that was taken in.")
class RhoImport:
    snapshot: RhoSnapshot = strawberry.field(description="The snapshot that holds it.")
    created: bool = strawberry.field(description="Whether it is new; otherwise it was there already, and nothing changed.")


@strawberry.type(description="What became of an upload.")
class RhoSyncResult:
    status: int = strawberry.field(
        description="What HTTP answers: 202 for a new one, 200 for one that was accepted before, else 400 to 413."
    )
    accepted: bool = strawberry.field(description="Whether it is held here.")
    duplicate: bool = strawberry.field(description="Whether it was accepted before.")
    graph_digest: str | None = strawberry.field(description="The graph's digest.")
    facts: int | None = strawberry.field(description="How many facts it brought; null for a duplicate, or none.")
    code: str | None = strawberry.field(description="Why it was refused, such as `sync_id_conflict`.")


@strawberry.type
class RhoMutation:
    """What Mutation has for Rho graphs."""

    @strawberry.mutation(description="Takes a local envelope in, as it is. The same again changes nothing. Needs the scope WRITE.")
    async def rho_import(
        self,
        info: Info[Context, None],
        envelope: Annotated[Json, strawberry.argument(description="The envelope: valid by the profile PORTABLE, without other fields.")],
        project_id: Annotated[str | None, strawberry.argument(description="The project to keep it under.")] = UNSET,
    ) -> RhoImport:
        context = info.context
        try:
            await asyncio.to_thread(_check_size, envelope, "")
            done = await context.services.rho.imports.import_envelope(context.viewer, envelope, given(project_id), context.deadline)
        except Refused as refused:
            refused.extra["argument"] = "projectId" if refused.kind == "invalid_project_id" else "envelope"  # Q40
            raise
        context.forget_rho()
        return RhoImport(snapshot=RhoSnapshot(rho=context.rho, row=done.snapshot), created=done.created)

    @strawberry.mutation(description="Takes an upload in, once for each id and project. Refusals are data. Needs the scope WRITE.")
    async def rho_sync(
        self,
        info: Info[Context, None],
        sync_id: Annotated[str, strawberry.argument(description="The upload's id.")],
        project_id: Annotated[str, strawberry.argument(description="The project.")],
        graph: Annotated[Json, strawberry.argument(description="The envelope: valid by the profile CLOUD.")],
        session_id: Annotated[str | None, strawberry.argument(description="The session that it is about.")] = UNSET,
    ) -> RhoSyncResult:
        context = info.context
        try:
            await asyncio.to_thread(_check_size, graph, "graph")
            upload = upload_of(sync_id, project_id, given(session_id), graph)
            done = await context.services.rho.imports.sync(context.viewer, upload, context.deadline)
        except (Refused, SyncIdConflict) as refused:
            return _refused(str(refused.extra["kind"]))
        context.forget_rho()
        return RhoSyncResult(
            status=done.status, accepted=True, duplicate=done.duplicate, graph_digest=done.digest, facts=done.facts or None, code=None
        )


def _check_size(document: object, path: str) -> None:
    """Refuses what is too large or no JSON in one quick step: the writer that everything else goes by keeps all threads waiting."""
    try:
        size = len(orjson.dumps(document))
    except orjson.JSONEncodeError as error:  # nested too deeply, or a number beyond 64 bits
        raise Refused("invalid_json", path) from error
    if size > MOST_BYTES:
        raise Refused(_TOO_LARGE, path)


def _refused(kind: str) -> RhoSyncResult:
    status = 409 if kind in _CONFLICTS else 413 if kind == _TOO_LARGE else 400
    return RhoSyncResult(status=status, accepted=False, duplicate=False, graph_digest=None, facts=None, code=kind)
