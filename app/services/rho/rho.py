"""All that a gateway does with Rho graphs: what its doors are given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.services.clock import Clock
from app.services.journals import Journals
from app.services.rho.importing import RhoImports
from app.services.rho.mirrors import RhoMirrors
from app.services.rho.reading import RhoReading
from app.services.rho.sessions import SessionExports
from app.store.connection import Store


@dataclass(frozen=True, slots=True)
class Rho:
    """The services for Rho graphs."""

    imports: RhoImports
    reading: RhoReading
    mirrors: RhoMirrors
    sessions: SessionExports

    @classmethod
    def on(cls, store: Store, clock: Clock, keep: int, state_dir: Path | None = None) -> Rho:
        """On a store. `keep`: snapshots of a graph that are kept besides those of uploads (M9); `state_dir`: where Rho keeps journals."""
        journals = None if state_dir is None else Journals(state_dir)
        return cls(RhoImports(store, clock, keep), RhoReading(store), RhoMirrors(store), SessionExports(store, journals))
