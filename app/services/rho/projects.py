"""What was uploaded for a project, read back (G54)."""

from __future__ import annotations

from itertools import islice

from app.domain.rho.vocabulary import ARRAYS
from app.services.rho.reading import RhoReading
from app.services.viewer import Viewer
from app.store.deadline import Deadline
from app.store.rho.reading import FactKind

_UPLOADS = 200
"""Of the newest uploads so many are looked at."""

_AT_ONCE = 10

_KINDS: tuple[FactKind, ...] = ("nodes", "edges", "events")


class RhoProjects:
    """Reads projects."""

    def __init__(self, reading: RhoReading) -> None:
        self._reading = reading

    async def facts(self, viewer: Viewer, project: str, session: str | None, limit: int, deadline: Deadline) -> dict[str, list[str]]:
        """Canonical texts of at most `limit` nodes, edges and events of a project's uploads, or of those of one session; each list by id.

        A fact that came several times counts once, as it was in the newest upload. Raises: Forbidden.
        """
        found: dict[str, dict[str, str]] = {name: {} for name in ARRAYS}
        rows = await self._reading.syncs_of(viewer, project, deadline)
        snapshots = dict.fromkeys(row.snapshot for row in rows if session in (None, row.session_id))
        left = islice(snapshots, _UPLOADS)
        while (some := list(islice(left, _AT_ONCE))) and any(len(facts) < limit for facts in found.values()):
            for kind in _KINDS:
                bodies = await self._reading.facts(viewer, kind, some, deadline) if len(found[kind]) < limit else {}
                for snapshot in some:
                    for id, body in bodies.get(snapshot, ()):
                        if len(found[kind]) < limit:
                            found[kind].setdefault(id, body)
        return {kind: [facts[id] for id in sorted(facts)] for kind, facts in found.items()}
