"""The services of one running gateway: what every door is given (O16)."""

from __future__ import annotations

from dataclasses import dataclass

from app.services.access import Access
from app.services.appending import Appends
from app.services.clock import Clock
from app.services.deletions import Deletions
from app.services.graphs import Graphs
from app.services.keys import Keys
from app.services.live import Live
from app.services.logins import Logins
from app.services.moving import Moving
from app.services.operator_key import OperatorKey
from app.services.rates import RateLimits
from app.services.rho.rho import Rho
from app.services.shares import Shares
from app.settings import Settings
from app.store.connection import Store
from app.store.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Services:
    """What the doors call."""

    settings: Settings
    clock: Clock
    store: Store
    access: Access
    keys: Keys
    logins: Logins
    graphs: Graphs
    appends: Appends
    moving: Moving
    shares: Shares
    operator: OperatorKey
    rates: RateLimits
    deletions: Deletions
    live: Live
    rho: Rho

    async def store_answers(self, deadline: Deadline) -> None:
        """Returns when the store has answered a small read. Raises: StoreUnavailable, DeadlineExceeded."""
        await self.access.operator_id(deadline)
