"""Running one subscription: from its source's messages to answers, each worked out by itself (Q38)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from graphql import ExecutionResult
from graphql.execution import create_source_event_stream
from strawberry.execution import optimized_is_awaitable

from app.domain.problems import Problem, StoreUnavailable
from app.graphql.context import Context
from app.graphql.errors import field_errors, internal_body, problem_body
from app.graphql.projection.executor import ProjectingExecutor
from app.graphql.subscriptions.messages import Message
from app.store.reading import Overtaken

TRIES = 5
"""So often is a message made again when history was changed under it."""

_AWAY = 0.5
_log = structlog.get_logger("graphql")


class Ended(Exception):  # noqa: N818 - an answer, not a fault of ours
    """A subscription that does not go on; `errors` says why."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        super().__init__()
        self.errors = errors


@dataclass(frozen=True, slots=True)
class Told:
    """An answer's body. `cursor`: where to go on after it; `resume`: where to go on if it is not taken."""

    body: dict[str, Any]
    cursor: str | None
    resume: str | None


@asynccontextmanager
async def told(executor: ProjectingExecutor, fresh: Callable[[], Context], request_id: str) -> AsyncIterator[AsyncGenerator[Told, None]]:
    """The answers of a subscription, one as soon as the one before was taken; all that it held is freed at the context's end.

    `executor` has been built for the operation; `fresh` gives each answer a context of its own. Asking for one raises Ended.
    """
    async with aclosing(_told(executor, fresh, request_id)) as answers:
        yield answers


async def _told(executor: ProjectingExecutor, fresh: Callable[[], Context], request_id: str) -> AsyncGenerator[Told, None]:
    made: Any = create_source_event_stream(executor)
    source = await made if optimized_is_awaitable(made) else made
    if isinstance(source, ExecutionResult):
        raise Ended(field_errors(source.errors or (), request_id))
    async with aclosing(source):
        try:
            async for message in source:
                body = await _shown(message, executor, fresh, request_id)
                message.made()
                if body is not None:
                    yield Told(body, message.cursor, message.resume)
        except Problem as problem:
            raise Ended([problem_body(problem)]) from problem
        except (Ended, GeneratorExit, asyncio.CancelledError):
            raise
        except Exception as error:
            _log.exception("subscription failed", id=request_id)
            raise Ended([internal_body(request_id)]) from error


async def _shown(message: Message, executor: ProjectingExecutor, fresh: Callable[[], Context], request_id: str) -> dict[str, Any] | None:
    """The answer's body; None if it is not worth sending. Raises: Ended, where there is nothing to send but errors."""
    left = TRIES
    while True:
        run: Any = executor.build_per_event_executor(message)
        run.context_value = context = fresh()
        try:
            found: Any = run.execute_operation(False)
            result: ExecutionResult = await found if optimized_is_awaitable(found) else found
        finally:
            context.over()
        problems = [error.original_error for error in result.errors or ()]
        left -= 1
        if any(isinstance(problem, Overtaken) for problem in problems) and left:
            await _again(message)
        elif any(isinstance(problem, StoreUnavailable) for problem in problems):  # the subscription stays open (O30)
            await asyncio.sleep(_AWAY)
            await _again(message)
        else:
            break
    errors = field_errors(result.errors or (), request_id)
    if result.data is None:
        raise Ended(errors)
    if not errors and not message.is_new(result.data):
        return None
    return {"data": result.data, "errors": errors} if errors else {"data": result.data}


async def _again(message: Message) -> None:
    while True:
        try:
            await message.again()
        except StoreUnavailable:
            await asyncio.sleep(_AWAY)
        else:
            return
