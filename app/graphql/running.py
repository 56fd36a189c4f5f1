"""Running one operation: from a request's members to the answer's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from graphql import ExecutionResult, OperationDefinitionNode, OperationType
from strawberry.execution import optimized_is_awaitable

from app.domain.problems import TooComplex
from app.graphql.bulk import packed
from app.graphql.context import Context
from app.graphql.documents import Document, Documents, Refused, no_operation
from app.graphql.errors import error_body, field_errors, problem_body, request_errors
from app.graphql.limits import Limits
from app.graphql.projection.executor import ProjectingExecutor
from app.graphql.schema import schema
from app.graphql.subscriptions.stream import Told, told
from app.graphql.variables import check_variables
from app.services.bundle import Services
from app.services.viewer import Viewer
from app.settings import Settings
from app.store.deadline import Deadline
from app.store.reading import Overtaken

Body: TypeAlias = dict[str, Any]

TRIES = 3
"""So often is a query begun again when history was changed under it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A GraphQL request's members. `persisted`: the hash under which the document is to be kept (Q30)."""

    query: str
    variables: Mapping[str, Any]
    operation_name: str | None = None
    persisted: str | None = None


class Operations:
    """Runs operations of the schema against the services."""

    def __init__(self, services: Services, settings: Settings, *, compiled: bool = True) -> None:
        self._services = services
        self._settings = settings
        self._compiled = compiled
        self._schema = schema()._schema
        self._documents = _documents(limits_of(settings), settings.introspection)
        self._origin = (settings.public_url or f"http://{settings.host}:{settings.port}").rstrip("/")

    def document(self, text: str) -> Document:
        """A document, ready to be run. Raises: Refused."""
        return self._documents.get(text)

    async def run(self, viewer: Viewer, document: Document, asked: Asked, request_id: str) -> Body:
        """The answer's body. Raises: Refused, where nothing is run."""
        operation = document.operation(asked.operation_name)
        if operation is None:
            raise no_operation(asked.operation_name)
        if operation.operation is OperationType.SUBSCRIPTION:
            raise Refused([error_body("BAD_REQUEST", "A subscription needs a WebSocket, or Accept: text/event-stream.")])
        variables = self._variables(operation, asked)
        writes = operation.operation is OperationType.MUTATION
        deadline = Deadline.after(self._settings.write_deadline if writes else self._settings.deadline)
        for left in reversed(range(1 if writes else TRIES)):
            result = await self._executed(viewer, document, asked, variables, deadline)
            if not left or not _overtaken(result):
                break
        body: Body = {"data": result.data}
        if result.errors:
            body["errors"] = field_errors(result.errors, request_id)
        return body

    def _variables(self, operation: OperationDefinitionNode, asked: Asked) -> dict[str, Any]:
        """The variables as they are handed to the library. Raises: Refused, if they hold too many values."""
        variables = packed(operation, asked.variables)
        try:
            check_variables(self._schema, operation, variables)
        except TooComplex as problem:
            raise Refused([problem_body(problem)]) from None
        return variables

    def subscribe(
        self, viewer: Viewer, document: Document, asked: Asked, request_id: str, resume: str | None = None
    ) -> AbstractAsyncContextManager[AsyncGenerator[Told, None]]:
        """The answers of a subscription. `resume`: where it goes on, whatever its arguments say. Raises: Refused, where nothing is run."""
        operation = document.operation(asked.operation_name)
        if operation is None:
            raise no_operation(asked.operation_name)
        variables = self._variables(operation, asked)

        def fresh() -> Context:
            return self._context(viewer, document, Deadline.after(self._settings.deadline), resume)

        return told(self._executor(fresh(), document, asked, variables), fresh, request_id)

    async def _executed(
        self, viewer: Viewer, document: Document, asked: Asked, variables: dict[str, Any], deadline: Deadline
    ) -> ExecutionResult:
        context = self._context(viewer, document, deadline)
        try:
            result: Any = self._executor(context, document, asked, variables).execute_operation()
            found: ExecutionResult = await result if optimized_is_awaitable(result) else result
            return found
        finally:
            context.over()

    def _context(self, viewer: Viewer, document: Document, deadline: Deadline, resume: str | None = None) -> Context:
        return Context(
            services=self._services,
            viewer=viewer,
            deadline=deadline,
            document=document,
            schema=schema(),
            origin=self._origin,
            budget=self._settings.node_budget,
            compiled=self._compiled,
            resume=resume,
        )

    def _executor(self, context: Context, document: Document, asked: Asked, variables: dict[str, Any]) -> ProjectingExecutor:
        executor = ProjectingExecutor.build(
            self._schema,
            document.ast,
            context_value=context,
            raw_variable_values=variables,
            operation_name=asked.operation_name,
            is_awaitable=optimized_is_awaitable,  # type: ignore[arg-type]  # what Strawberry gives graphql-core itself
        )
        if isinstance(executor, list):
            raise Refused(request_errors(executor[:5], "BAD_USER_INPUT"))
        assert isinstance(executor, ProjectingExecutor)
        return executor


def limits_of(settings: Settings) -> Limits:
    """The limits before execution that the settings name."""
    return Limits(settings.tokens, settings.depth, settings.aliases, settings.root_fields, settings.directives, settings.node_budget)


@lru_cache(maxsize=8)
def _documents(limits: Limits, introspection: bool) -> Documents:
    """The documents that are known, whoever asks."""
    return Documents(schema()._schema, limits, introspection=introspection)


def _overtaken(result: ExecutionResult) -> bool:
    return any(isinstance(error.original_error, Overtaken) for error in result.errors or ())


async def execute(services: Services, viewer: Viewer, query: str, variables: Mapping[str, Any] | None = None) -> Body:
    """The answer's body for one operation, asked from inside the gateway: by a page, or by a command without a server."""
    operations = Operations(services, services.settings)
    try:
        document = operations.document(query)
        return await operations.run(viewer, document, Asked(query, variables or {}), "")
    except Refused as refused:
        return {"errors": refused.errors}
