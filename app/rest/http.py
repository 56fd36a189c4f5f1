"""REST over HTTP: the order of work, headers, caching (R1-R3, R29-R31)."""

from __future__ import annotations

from typing import Any, Final

import orjson
import structlog
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from app.domain.problems import Problem
from app.rest.answers import Answers, Made, made
from app.rest.errors import Refused, refusal, surprise
from app.rest.graphs import list_graphs
from app.rest.plans import Planned, Plans, operation_or_refused
from app.rest.replies import JSON, NO_STORE, VARY, Headers, Reply, encoded
from app.rest.urls import BASE
from app.services.access import credential
from app.services.bundle import Services
from app.services.etags import is_known
from app.services.rates import Rate
from app.services.shared import Asked
from app.services.undisturbed import undisturbed
from app.services.viewer import CONTRACT_VERSION, Viewer
from app.services.wanted import GONE, CallerGone, while_wanted
from app.store.deadline import Deadline
from app.store.graphs import GraphRow

VERSIONS: Final = frozenset((CONTRACT_VERSION,))
"""Every version that there ever was (R11)."""

_FIXED: Final = (b"cache-control", b"private, max-age=31536000, immutable")
_CURRENT: Final = (b"cache-control", b"private, no-cache")

_log = structlog.get_logger("rest")


def rest_routes(services: Services) -> list[BaseRoute]:
    """The routes of `/api/v1`."""
    door = Door(services)
    return [Route(path, door) for path in (BASE, f"{BASE}/{{path:path}}")]


class Door:
    """The REST door: an ASGI application, so that every method comes here. A plain one: what polls send costs no more than it must."""

    def __init__(self, services: Services) -> None:
        settings = services.settings
        self.services = services
        self.answers = Answers(settings.answer_cache_bytes)
        self.origin = (settings.public_url or f"http://{settings.host}:{settings.port}").rstrip("/")
        self.plans = Plans(self.origin)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        try:
            async with while_wanted(receive):
                reply = await _Turn(self, scope).answer()
        except CallerGone:
            reply = Reply(GONE)
        await reply(scope, receive, send)


class _Turn:
    """One request on its way through the steps of R2: what is known so far goes into the headers of whatever the answer is."""

    def __init__(self, door: Door, scope: Scope) -> None:
        self._door = door
        self._services = door.services
        self._scope = scope
        self._log: dict[str, Any] = scope.get("state", {}).get("log", {})
        self._log["door"] = "rest"
        self._version = CONTRACT_VERSION
        self._rate: Rate | None = None

    async def answer(self) -> Reply:
        if self._scope["method"] != "GET":
            return Reply(405, [(b"allow", b"GET"), NO_STORE])
        ahead: Asked[GraphRow | None] | None = None
        try:
            authorization = self._header(b"authorization")
            if authorization is None or not credential(authorization):
                raise Refused("api_key_missing", "An API key is needed: send it as Authorization: Bearer <key>.")
            path, query = self._scope["path"].removeprefix(BASE), self._scope["query_string"]
            planned = self._door.plans.kept(path, query)
            deadline = Deadline.after(self._services.settings.deadline)
            if planned is not None and planned.plan is not None:
                ahead = self._services.graphs.expect(planned.graph_id, deadline)
            viewer = await self._viewer(authorization)
            if planned is None:
                planned = self._planned(path, query)
            self._log["operation"] = planned.call.operation.name
            return self._found(viewer, await self._answered(viewer, planned, deadline, ahead))
        except Refused as refused:
            return self._refused(refused)
        except Problem as problem:
            return self._refused(refusal(problem))
        except Exception:  # noqa: BLE001 - R6: told as a 500 of the catalogue, and logged
            _log.exception("failed", id=self._log.get("id"))
            return self._refused(surprise())
        finally:
            if ahead is not None:
                ahead.leave()

    async def _viewer(self, authorization: str) -> Viewer:
        """Steps 3 to 5."""
        viewer = await self._services.access.viewer(authorization)
        if viewer is None:
            raise Refused("api_key_invalid", "This API key is not on record: it is wrong, was revoked or has expired.")
        self._log["key"] = viewer.key_id
        self._version = viewer.version
        version = self._header(b"agent-graph-version")
        if version is not None:
            if version not in VERSIONS:
                raise Refused("version_invalid", f"There is no such version of the API; the newest is {CONTRACT_VERSION}.")
            self._version = version
        self._rate = self._services.rates.take(viewer.bucket)
        if self._rate is not None and self._rate.retry_after:
            raise Refused("rate_limit", f"Too many requests with this key: wait {self._rate.retry_after} s.")
        return viewer

    def _planned(self, path: str, query: bytes) -> Planned:
        operation, named = operation_or_refused(path)
        self._log["operation"] = operation.name
        return self._door.plans.made(path, query, operation, named)

    async def _answered(self, viewer: Viewer, planned: Planned, deadline: Deadline, ahead: Asked[GraphRow | None] | None) -> Made:
        """Step 6. `ahead`: the graph's row, where it was clear early that it will be looked at."""
        plan, graphs, answers = planned.plan, self._services.graphs, self._door.answers
        if plan is None:
            return made(await list_graphs(planned.call, self._services, viewer, deadline))
        early = iter([ahead])

        async def answer() -> Made:
            at = await graphs.at(viewer, planned.graph_id, planned.as_of, deadline, next(early, None))
            return await answers.of(planned, plan, at, deadline)

        return await undisturbed(answer)

    def _found(self, viewer: Viewer, answer: Made) -> Reply:
        """Step 7."""
        headers: Headers = [(b"etag", answer.tag.encode()), _FIXED if answer.fixed else _CURRENT, VARY]
        if is_known(answer.tag, self._known_tags()):
            self._rate = self._services.rates.give_back(viewer.bucket)
            return Reply(304, headers + self._rates(), None)
        return Reply(200, [*headers, *self._rates(), (b"agent-graph-version", self._version.encode()), JSON], answer.body)

    def _refused(self, refused: Refused) -> Reply:
        headers = [*self._rates(), (b"agent-graph-version", self._version.encode()), NO_STORE, VARY, JSON]
        if refused.status == 503:
            headers.append((b"retry-after", b"1"))
        if refused.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        return Reply(refused.status, headers, orjson.dumps(refused.body(f"{self._door.origin}/docs/reference#errors")))

    def _header(self, wanted: bytes) -> str | None:
        for name, value in self._scope["headers"]:
            if name == wanted:
                text: str = value.decode("latin-1")
                return text
        return None

    def _known_tags(self) -> str:
        return b",".join(value for name, value in self._scope["headers"] if name == b"if-none-match").decode("latin-1")

    def _rates(self) -> Headers:
        return [] if self._rate is None else encoded(self._rate.headers)
