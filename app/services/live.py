"""All that is told as it happens: events as they come, and graphs, nodes and lists of graphs as they change (Q22-Q28, Q48)."""

from __future__ import annotations

from app.domain.times import NS_PER_S
from app.services.access import Access
from app.services.arrivals import Arrivals
from app.services.clock import Clock
from app.services.graphs import Graphs
from app.services.listeners import Listeners
from app.services.news import News
from app.services.sources import Sources
from app.settings import Settings
from app.store.connection import Store


class Live:
    """What subscriptions are made of: one tail of the store's news, and who listens."""

    def __init__(self, store: Store, graphs: Graphs, access: Access, clock: Clock, settings: Settings) -> None:
        self.news = News(store, graphs.mend)
        self.listeners = Listeners(access, settings.key_subscriptions)
        self.sources = Sources(
            store=store,
            graphs=graphs,
            news=self.news,
            arrivals=Arrivals(store),
            clock=clock,
            stale_after_ns=int(settings.stale_after * NS_PER_S),
            far=settings.slow_consumer_events,
        )

    async def close(self) -> None:
        """Ends what runs beside the requests."""
        await self.listeners.close()
        await self.news.close()
