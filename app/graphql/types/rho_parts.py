"""Small parts of Rho graphs: what facts say of themselves, results of checks and schedules, and inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import strawberry
from strawberry.types.unset import UNSET

from app.domain.rho.problems import Refused
from app.domain.rho.schedule import Dependency, Schedule, Task
from app.domain.rho.validate import Warned
from app.graphql.types.inputs import given


@strawberry.type(description="What something was refused for, or looks odd by.")
class RhoError:
    kind: str = strawberry.field(description="A name that does not change, such as `duplicate_node`.")
    path: str | None = strawberry.field(description="Where in the document, such as `edges[3].from`; empty for all of it.")
    task: str | None = strawberry.field(description="The task that is to blame, if it is one.")
    message: str = strawberry.field(description="The same for people.")


@strawberry.type(description="What a fact belongs to.")
class RhoScope:
    project_id: str | None = strawberry.field(description="A project.")
    repository_id: str | None = strawberry.field(description="A repository.")


@strawberry.type(description="How many facts a snapshot has.")
class RhoCounts:
    nodes: int = strawberry.field(description="Nodes.")
    edges: int = strawberry.field(description="Edges.")
    events: int = strawberry.field(description="Events.")


@strawberry.type(description="A name and a text.")
class RhoAttribute:
    key: str = strawberry.field(description="The name.")
    value: str = strawberry.field(description="The text: numbers and booleans too.")


@strawberry.type(description="Where a fact comes from.")
class RhoProvenance:
    producer: str = strawberry.field(description="Who says so.")
    producer_version: str | None = strawberry.field(description="In which version.")
    source_id: str | None = strawberry.field(description="The producer's own id for it.")
    evidence: list[str] = strawberry.field(description="URIs of what is kept elsewhere.")


@strawberry.type(description="Tasks in waves. If anything is wrong with any task, nothing is scheduled.")
class RhoSchedule:
    ok: bool = strawberry.field(description="Whether nothing is wrong.")
    waves: list[list[str]] = strawberry.field(description="Ids of tasks: each wave after all that blocks it.")
    ready: list[str] = strawberry.field(description="Pending tasks whose blockers are all completed.")
    error: RhoError | None = strawberry.field(description="What is wrong.")


@strawberry.type(description="Whether a document is a valid envelope.")
class RhoValidation:
    ok: bool = strawberry.field(description="Whether it is.")
    facts: int | None = strawberry.field(description="How many nodes, edges and events it has.")
    warnings: list[RhoError] = strawberry.field(description="What is unusual, but fails nothing.")
    canonical_sha256: str | None = strawberry.field(name="canonicalSha256", description="SHA-256 of the canonical form.")
    digest: str | None = strawberry.field(description="The same without `query_sha256`.")
    error: RhoError | None = strawberry.field(description="The first thing that is wrong.")


@strawberry.type(description="A document made ready for upload; where that fails, the texts are empty.")
class RhoPrepared:
    json: str = strawberry.field(description="The document, to be sent as it is.")
    bytes: int = strawberry.field(description="How long it is in UTF-8.")
    sync_id: str = strawberry.field(description="The id to send it under.")
    query_sha256: str = strawberry.field(name="querySha256", description="SHA-256 of the document before this was put into it.")
    facts: int = strawberry.field(description="How many nodes, edges and events it has.")
    error: RhoError | None = strawberry.field(description="Why it cannot be uploaded.")


@strawberry.type(description="An Agent Graph session as a Rho graph. No text of an agent is in it: digests stand in.")
class RhoExport:
    session_id: str = strawberry.field(description="The session's name there.")
    snapshot_json: str = strawberry.field(description="The envelope in canonical form.")
    digest: str = strawberry.field(description="Its digest: equal for equal graphs.")
    outside_reference_count: int = strawberry.field(description="Waits, requests and messages whose other end is not in it.")


@strawberry.input(description="A text that a node says of itself.")
class RhoAttributeInput:
    key: str = strawberry.field(description="Its name.")
    value: str | None = strawberry.field(default=UNSET, description="Exactly this; null: any.")


@strawberry.input(description="What a task depends on.")
class RhoTaskDependencyInput:
    target_id: str = strawberry.field(description="The other task.")
    type: str = strawberry.field(description="`blocks` if that must be completed first; anything else schedules nothing.")


@strawberry.input(description="A task to be scheduled.")
class RhoTaskInput:
    id: str = strawberry.field(description="Its id.")
    status: str = strawberry.field(
        description="`pending`, `in_progress`, `reviewing`, `completed`, `failed`, `skipped` or `cancelled`."
    )  # fmt: skip
    dependencies: list[RhoTaskDependencyInput] | None = strawberry.field(default=UNSET, description="What it depends on.")

    def to_domain(self) -> Task:
        """The task."""
        return Task(self.id, self.status, tuple(Dependency(each.target_id, each.type) for each in given(self.dependencies) or ()))


def error_of(refused: Refused) -> RhoError:
    """A refusal as data."""
    return RhoError(kind=refused.kind, path=refused.path, task=refused.task, message=refused.message)


def warning_of(warned: Warned) -> RhoError:
    """A warning as data."""
    return RhoError(kind=warned.kind, path=warned.path, task=None, message=f"{warned.kind}: {warned.path}")


def schedule_of(found: Schedule | Refused) -> RhoSchedule:
    """A schedule, or why there is none."""
    if isinstance(found, Refused):
        return RhoSchedule(ok=False, waves=[], ready=[], error=error_of(found))
    return RhoSchedule(ok=True, waves=[list(wave) for wave in found.waves], ready=list(found.ready), error=None)


def scope_of(value: Mapping[str, Any]) -> RhoScope | None:
    """The scope of a fact or an envelope; None where it names nothing."""
    scope = value.get("scope", {})
    project, repository = (scope.get(name) or None for name in ("project_id", "repository_id"))
    return None if project is None and repository is None else RhoScope(project_id=project, repository_id=repository)


def attributes_of(value: Mapping[str, Any]) -> list[RhoAttribute]:
    """A fact's attributes by their names."""
    return [RhoAttribute(key=key, value=text) for key, text in sorted(value.get("attributes", {}).items())]


def provenance_of(value: Mapping[str, Any]) -> RhoProvenance:
    """Where a fact comes from."""
    found = value["provenance"]
    return RhoProvenance(
        producer=found["producer"],
        producer_version=found.get("version"),
        source_id=found.get("source_id"),
        evidence=[item["uri"] for item in found.get("evidence", ())],
    )


def words(values: Sequence[Any] | None) -> frozenset[str] | None:
    """The words behind enums or texts of a filter; None for no filter."""
    found = given(values)
    return None if found is None else frozenset(str(getattr(value, "value", value)) for value in found)
