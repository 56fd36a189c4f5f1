"""A graph as its own row tells of it."""

from __future__ import annotations

from dataclasses import dataclass

from app.store.graphs import GraphRow, Standing


@dataclass(frozen=True, slots=True)
class GraphInfo:
    """A graph as it is now, whatever the moment (R36, Q2). Times in Unix milliseconds; event ids are own ids.

    `last_event` is the newest held event's time, or `created` where none is held. The four `first_…` and `last_…` are None then.
    `heard`: when a producer last sent something (None: never).
    """

    row: GraphRow

    @property
    def id(self) -> str:
        """The public id."""
        return self.row.id

    @property
    def account(self) -> str:
        """Whose it is."""
        return self.row.account

    @property
    def title(self) -> str | None:
        """What it is called."""
        return self.row.title

    @property
    def source(self) -> str:
        """`watch`, `paste` or `upload`."""
        return self.row.source

    @property
    def created(self) -> int:
        """When it was made."""
        return self.row.created

    @property
    def last_event(self) -> int:
        """The newest held event's time, or `created`."""
        return self.row.created if self.row.last is None else self.row.last.time_ms

    @property
    def first_event_id(self) -> str | None:
        """Own id of the first held event."""
        return None if self.row.first is None else self.row.first.id

    @property
    def last_event_id(self) -> str | None:
        """Own id of the newest held event."""
        return None if self.row.last is None else self.row.last.id

    @property
    def first_event_created(self) -> int | None:
        """Time of the first held event."""
        return None if self.row.first is None else self.row.first.time_ms

    @property
    def last_event_created(self) -> int | None:
        """Time of the newest held event."""
        return None if self.row.last is None else self.row.last.time_ms

    @property
    def event_count(self) -> int:
        """How many events are held (R38)."""
        return self.row.standing.held

    @property
    def g(self) -> str:
        """The store's key of its generation."""
        return self.row.g

    @property
    def standing(self) -> Standing:
        """Where it stands in the store."""
        return self.row.standing

    @property
    def heard(self) -> int | None:
        """When a producer was last heard."""
        return self.row.heard
