"""All that a gateway does with Rho graphs: what its doors are given."""

from __future__ import annotations

from dataclasses import dataclass

from app.services.clock import Clock
from app.services.rho.importing import RhoImports
from app.services.rho.mirrors import RhoMirrors
from app.services.rho.reading import RhoReading
from app.store.connection import Store


@dataclass(frozen=True, slots=True)
class Rho:
    """The services for Rho graphs."""

    imports: RhoImports
    reading: RhoReading
    mirrors: RhoMirrors

    @classmethod
    def on(cls, store: Store, clock: Clock, keep: int) -> Rho:
        """On a store. `keep`: snapshots of a graph that are kept besides those of uploads (M9)."""
        return cls(RhoImports(store, clock, keep), RhoReading(store), RhoMirrors(store))
