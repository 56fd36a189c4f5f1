"""What those who follow and watch graphs read from."""

from __future__ import annotations

from dataclasses import dataclass

from app.services.arrivals import Arrivals
from app.services.clock import Clock
from app.services.graphs import Graphs
from app.services.news import News
from app.store.connection import Store


@dataclass(frozen=True, slots=True)
class Sources:
    """`stale_after_ns`: how long a working node may be silent; `far`: so many events behind is too slow for a reader that was level."""

    store: Store
    graphs: Graphs
    news: News
    arrivals: Arrivals
    clock: Clock
    stale_after_ns: int
    far: int
