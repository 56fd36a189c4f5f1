"""Health checks: no key needed, nothing else told (O26)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.domain.problems import Problem
from app.services.bundle import Services
from app.store.deadline import Deadline

READY_SECONDS = 1.8
"""A store that is gone must be known as gone within 2 s (O30)."""


def health_routes(services: Services) -> list[Route]:
    """`/healthz` and `/readyz`."""

    async def alive(request: Request) -> Response:
        request.state.log.update(door="health", operation="healthz")
        return JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})

    async def ready(request: Request) -> Response:
        request.state.log.update(door="health", operation="readyz")
        try:
            await services.store_answers(Deadline.after(READY_SECONDS))
        except Problem as problem:
            told = {"status": "unavailable", "reason": problem.message}
            return JSONResponse(told, 503, headers={"Cache-Control": "no-store", "Retry-After": "1"})
        return JSONResponse({"status": "ready"}, headers={"Cache-Control": "no-store"})

    return [Route("/healthz", alive), Route("/readyz", ready)]
