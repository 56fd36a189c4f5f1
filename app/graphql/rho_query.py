"""The root fields for Rho graphs (M13)."""

from __future__ import annotations

import asyncio
from typing import Annotated

import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.problems import BadUserInput
from app.domain.rho.envelope import canonical_sha256, graph_digest
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.schedule import schedule
from app.domain.rho.validate import validate
from app.graphql.context import Context
from app.graphql.rho.pages import page_of
from app.graphql.types.inputs import given
from app.graphql.types.pages import Connection
from app.graphql.types.rho_enums import RhoProfile, RhoSubjectKind
from app.graphql.types.rho_facts import RhoAfter, RhoFirst
from app.graphql.types.rho_graphs import RhoGraph, RhoSnapshot
from app.graphql.types.rho_parts import RhoSchedule, RhoTaskInput, RhoValidation, error_of, schedule_of, warning_of
from app.graphql.types.scalars import Json

Project = Annotated[str | None, strawberry.argument(description="The project that it was taken in for.")]


@strawberry.type
class RhoQuery:
    """What Query has for Rho graphs."""

    @strawberry.field(
        description="A Rho graph, by its key, or by the session or mission that it is about. Without a project that of none, or the newest."
    )
    async def rho_graph(
        self,
        info: Info[Context, None],
        key: Annotated[strawberry.ID | None, strawberry.argument(description="Its key.")] = UNSET,
        session_id: Annotated[str | None, strawberry.argument(description="The session's name.")] = UNSET,
        mission_id: Annotated[str | None, strawberry.argument(description="The mission's name.")] = UNSET,
        project_id: Project = UNSET,
    ) -> RhoGraph | None:
        context = info.context
        context.check_rho_cost(info)
        named = {"key": given(key), "session": given(session_id), "mission": given(mission_id)}
        [(kind, name), *more] = [(kind, name) for kind, name in named.items() if name is not None] or [("", "")]
        if more or not kind:
            raise BadUserInput("key", "Give key, sessionId or missionId, exactly one of them.")
        if kind == "key":
            row = await context.rho.graph(name)
        else:
            reading, deadline = context.services.rho.reading, context.deadline
            row = await reading.graph_about(context.viewer, kind, name, given(project_id), deadline)  # type: ignore[arg-type]
        return None if row is None else RhoGraph(rho=context.rho, row=row)

    @strawberry.field(description="The Rho graphs of the caller's account, by key.")
    async def rho_graphs(
        self,
        info: Info[Context, None],
        project_id: Project = UNSET,
        subject_kind: Annotated[RhoSubjectKind | None, strawberry.argument(description="About such subjects only.")] = UNSET,
        first: RhoFirst = UNSET,
        after: RhoAfter = UNSET,
    ) -> Connection[RhoGraph]:
        context = info.context
        context.check_rho_cost(info)
        project, kind = given(project_id), given(subject_kind)
        word = None if kind is None else str(kind.value)
        rows = [
            row
            for row in await context.services.rho.reading.graphs(context.viewer, context.deadline)
            if project in (None, row.project_id or "") and word in (None, row.subject_kind)
        ]
        page = page_of(rows, lambda row: row.key, first, after, "graphs", project, word)
        return Connection(found=page, show=lambda _, row: RhoGraph(rho=context.rho, row=row))

    @strawberry.field(description="A snapshot by its key, or by the id and project of the upload that brought it.")
    async def rho_snapshot(
        self,
        info: Info[Context, None],
        id: Annotated[strawberry.ID | None, strawberry.argument(description="Its key.")] = UNSET,
        sync_id: Annotated[str | None, strawberry.argument(description="The upload's id; needs `projectId`.")] = UNSET,
        project_id: Annotated[str | None, strawberry.argument(description="The upload's project.")] = UNSET,
    ) -> RhoSnapshot | None:
        context = info.context
        context.check_rho_cost(info)
        key, sync, project = given(id), given(sync_id), given(project_id)
        if (key is None) == (sync is None):
            raise BadUserInput("id", "Give id or syncId, exactly one of them.")
        reading = context.services.rho.reading
        if key is not None:
            row = (await reading.snapshots(context.viewer, [key], context.deadline)).get(key)
        elif project is None:
            raise BadUserInput("projectId", "The id of an upload is one in its project: give projectId too.")
        else:
            row = await reading.snapshot_synced(context.viewer, project, str(sync), context.deadline)
        return None if row is None else RhoSnapshot(rho=context.rho, row=row)

    @strawberry.field(description="Puts tasks in waves. Nothing is stored.")
    async def rho_schedule(
        self, tasks: Annotated[list[RhoTaskInput], strawberry.argument(description="At most 1,000, with 10,000 that block.")]
    ) -> RhoSchedule:
        given_tasks = [task.to_domain() for task in tasks]
        try:
            return schedule_of(await asyncio.to_thread(schedule, given_tasks))
        except Refused as refused:
            return schedule_of(refused)

    @strawberry.field(description="Whether a document is a valid envelope. Nothing is stored.")
    async def rho_validate(
        self,
        envelope: Annotated[Json, strawberry.argument(description="The document.")],
        profile: Annotated[RhoProfile | None, strawberry.argument(description="By which rules.")] = RhoProfile.PORTABLE,
        project_id: Annotated[str | None, strawberry.argument(description="With CLOUD: no scope may name another project.")] = UNSET,
    ) -> RhoValidation:
        chosen = Profile(str((profile or RhoProfile.PORTABLE).value))
        try:
            return await asyncio.to_thread(_validated, envelope, chosen, given(project_id))
        except Refused as refused:
            error = error_of(refused)
            return RhoValidation(ok=False, facts=None, warnings=[], canonical_sha256=None, digest=None, error=error)


def _validated(envelope: Json, profile: Profile, project_id: str | None) -> RhoValidation:
    document: object = envelope
    found = validate(document, profile, project_id=project_id)
    assert isinstance(document, dict)
    return RhoValidation(
        ok=True,
        facts=found.facts,
        warnings=[warning_of(warned) for warned in found.warnings],
        canonical_sha256=canonical_sha256(document),
        digest=graph_digest(document),
        error=None,
    )
