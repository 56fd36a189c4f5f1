"""Every way into the gateway: GraphQL, REST, ingest, Rho, health, moving graphs, sign-in, pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

import app.web
from app.graphql import execute, graphql_routes
from app.ingest import ingest_routes
from app.rest import rest_routes
from app.rest.about import about
from app.rest.errors import CATALOGUE
from app.rest.operations import OPERATIONS
from app.rest.urls import BASE
from app.rho import rho_routes
from app.services.bundle import Services
from app.services.viewer import Viewer
from app.web.health import health_routes
from app.web.login import Login
from app.web.moving import Moving
from app.web.pages import Pages
from app.web.reference import Error, Operation, reference_routes


def routes(services: Services) -> list[BaseRoute]:
    """All routes, in the order in which they are tried."""

    async def ask(viewer: Viewer, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        return await execute(services, viewer, query, variables)

    return [
        *graphql_routes(services, services.settings),
        *rest_routes(services),
        *ingest_routes(services),
        *rho_routes(services),
        *health_routes(services),
        *Moving(services).routes(),
        *Login(services).routes(),
        *Pages(services, ask).routes(),
        *reference_routes(
            [Operation(BASE + each.path, each.summary, {name: about(each.name, name) for name in each.parameters}) for each in OPERATIONS],
            [Error(code, *kind) for code, kind in CATALOGUE.items()],
        ),
        Mount("/static", StaticFiles(directory=Path(app.web.__file__).parent / "static")),
    ]
