"""The addresses of the Rho door."""

from __future__ import annotations

from starlette.routing import BaseRoute

from app.rho.local import Local
from app.rho.projects import Projects
from app.rho.sessions import Sessions
from app.rho.uploads import Uploads
from app.services.bundle import Services
from app.services.rho.projects import RhoProjects
from app.services.rho.session_graphs import SessionGraphs


def rho_routes(services: Services) -> list[BaseRoute]:
    """All of them."""
    rho = services.rho
    sessions = SessionGraphs(services.store, services.clock, services.graphs, rho.reading, rho.sessions)
    doors = Uploads(services), Projects(services, RhoProjects(rho.reading)), Sessions(services, sessions)
    return [*(door.route() for door in doors), *Local(services, sessions).routes()]
