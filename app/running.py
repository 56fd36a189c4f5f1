"""The gateway's services, for as long as it runs: the store is started or reached, migrated, and the operator's key is there (O16, O18)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.opening import MIGRATE_SECONDS, make_data_dir, open_store
from app.services.access import Access
from app.services.appending import Appends
from app.services.bundle import Services
from app.services.clock import Clock
from app.services.deletions import Deletions
from app.services.expiry import Expiry
from app.services.graphs import Graphs
from app.services.keys import Keys
from app.services.known import KnownKeys
from app.services.live import Live
from app.services.logins import Logins
from app.services.moving import Moving
from app.services.operator_key import ensure_operator
from app.services.projectors import Projectors
from app.services.rates import RateLimits
from app.services.retention import Retention
from app.services.rho.rho import Rho
from app.services.shares import Shares
from app.settings import Settings
from app.store.deadline import Deadline
from app.store.migrations import migrate
from app.store.warming import warm as warm_statements
from app.training import training

WARM_SECONDS = 45.0


@asynccontextmanager
async def running(settings: Settings, clock: Clock, *, warm: bool = False) -> AsyncIterator[Services]:
    """Everything that the doors need, until the context ends. `warm`: every statement has run once.

    Raises: SettingsProblem, EmbeddedProblem, StoreProblem.
    """
    make_data_dir(settings.data_dir)
    async with open_store(settings) as (store, embedded):
        await migrate(store, Deadline.after(MIGRATE_SECONDS))
        known = KnownKeys(sole=embedded is not None)
        access = Access(store, clock, known)
        admin_key = settings.admin_key.get_secret_value() if settings.admin_key else None
        operator = await ensure_operator(access, settings.data_dir, admin_key, Deadline.after(MIGRATE_SECONDS))
        if warm:
            await warm_statements(store, Deadline.after(WARM_SECONDS))
        projectors = Projectors(store)
        retention = Retention(store, projectors, settings.retention_events)
        graphs = Graphs(store, clock, settings)
        deletions = Deletions(store, clock, graphs)
        deletions.clean_up()
        expiry = None if settings.expire_after is None else Expiry(store, clock, deletions, settings.expire_after)
        if expiry is not None:
            expiry.begin()
        live = Live(store, graphs, access, clock, settings)
        appends = Appends(store, projectors, clock, retention, deletions.clean_up, live.news.tell)
        async with training(embedded if warm else None):
            yield Services(
                settings=settings,
                clock=clock,
                store=store,
                access=access,
                keys=Keys(store, clock, known),
                logins=Logins(store, clock, known),
                graphs=graphs,
                appends=appends,
                moving=Moving(store, graphs, appends),
                shares=Shares(store, clock, graphs, appends),
                operator=operator,
                rates=RateLimits(settings.rate_limit, settings.rate_burst, clock),
                deletions=deletions,
                live=live,
                rho=Rho.on(store, clock, settings.rho_snapshots, settings.rho_state_dir),
            )
        if expiry is not None:
            await expiry.close()
        await live.close()
        await appends.close()
        await retention.close()
        await deletions.close()
        await access.close()
