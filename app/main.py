"""The ASGI application: doors in front of the services (O16)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from app.domain.problems import Problem
from app.running import running
from app.services.bundle import Services
from app.services.clock import Clock, system_clock
from app.services.origin import origin_of
from app.settings import Settings, load_settings
from app.telemetry import set_up_logs
from app.version import VERSION
from app.web.html import STATUS, problem_page, wants_page
from app.web.request_log import RequestLog


def create_app(settings: Settings | None = None, *, clock: Clock | None = None) -> FastAPI:
    """The application. While it runs (its lifespan) the store is started or reached and migrated, as `agw serve` does it.

    `clock` gives Unix milliseconds and is asked for every time that matters. Raises: SettingsProblem.
    """
    settings = load_settings() if settings is None else settings
    set_up_logs(settings.log_format, settings.log_level)

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        routes = asyncio.create_task(asyncio.to_thread(_routes))  # their libraries take as long to load as the store does to start
        async with running(settings, clock or system_clock, warm=True) as services:
            application.state.services = services
            application.router.routes[:] = (await routes)(services)
            yield
            application.router.routes.clear()

    application = FastAPI(title="Agent Graph Gateway", version=VERSION, lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    if settings.cors_origins:
        application.add_middleware(
            CORSMiddleware,
            allow_origins=[origin_of(origin) for origin in settings.cors_origins],
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "If-None-Match", "Agent-Graph-Version", "Last-Event-ID"],
            expose_headers=["ETag", "Request-Id", "Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
        )
    application.add_middleware(RequestLog)
    application.add_exception_handler(Problem, _problem)
    application.add_exception_handler(HTTPException, _nothing_there)
    return application


def _routes() -> Callable[[Services], list[BaseRoute]]:
    from app.doors import routes

    return routes


async def _problem(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    status = STATUS.get(problem.code, 500)
    if wants_page(request):
        return problem_page(problem.message, status)
    retry = {"Retry-After": "1"} if status == 503 else {}
    return JSONResponse({"error": problem.message}, status, headers={"Cache-Control": "no-store", **retry})


async def _nothing_there(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if not wants_page(request):
        return JSONResponse({"detail": error.detail}, error.status_code, headers=error.headers)
    request.state.log.setdefault("door", "pages")
    answer = problem_page("There is no such page." if error.status_code == 404 else f"{error.detail}.", error.status_code)
    answer.headers.update(error.headers or {})
    return answer
