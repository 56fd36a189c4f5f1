"""The addresses of the ingest door (I27)."""

from __future__ import annotations

from starlette.routing import BaseRoute

from app.ingest.account import AccountCalls
from app.ingest.bodies import Bodies
from app.ingest.direct import Direct
from app.ingest.shares import ShareCalls
from app.services.bundle import Services


def ingest_routes(services: Services) -> list[BaseRoute]:
    """All of them."""
    bodies = Bodies()
    small = Bodies()  # the account's calls are anybody's: they take no place from those that have a key
    return [*ShareCalls(services, bodies).routes(), *AccountCalls(services, small).routes(), *Direct(services, bodies).routes()]
