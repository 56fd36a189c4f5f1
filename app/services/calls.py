"""What a call of an append brings: its lines read, and where in it a graph is to begin anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.domain import keyframe
from app.domain.envelope import Event, Malformed, parse_line, parse_object
from app.store.pace import Pace


@dataclass(frozen=True, slots=True)
class Invalid:
    """What could not be read: its place in the call, and why (E2)."""

    index: int
    reason: str


@dataclass(slots=True)
class Run:
    """A stretch of a call: lines of a keyframe, then events, each once. Each but the first begins with part 0 of a restart (E132).

    `parts`: the keyframe's lines that come before all of the run's events (E129), by id. `restart`: the place in the call of the
    line that asks for a restart; None: none does. `accepted`: how many events it brought (seen soon, whoever finishes the work).
    """

    parts: dict[str, Event] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    restart: int | None = None
    accepted: int = 0
    is_last: bool = True


@dataclass(slots=True)
class Call:
    """One call: its runs, what of it could not be read, and how many envelopes held an event."""

    runs: list[Run]
    invalid: list[Invalid]
    envelopes: int = 0

    @property
    def accepted(self) -> int:
        """How many events were new."""
        return sum(run.accepted for run in self.runs)


async def read(envelopes: Sequence[object]) -> Call:
    """Reads a call's lines (bytes) or JSON objects, in slices."""
    call, pace = Call([Run()], []), Pace()
    for index, envelope in enumerate(envelopes):
        if pace.due:
            await pace.rest()
        try:
            if isinstance(envelope, bytes):
                if not envelope.strip():
                    continue
                event = parse_line(envelope.rstrip(b"\r\n"))
            else:
                event = parse_object(envelope)
        except Malformed as error:
            call.invalid.append(Invalid(index, str(error)))
        else:
            _take(call, index, event)
    return call


def _take(call: Call, index: int, event: Event) -> None:
    run = call.runs[-1]
    if event.type != keyframe.TYPE:
        call.envelopes += 1
        run.events.setdefault(event.id, event)
    elif keyframe.is_restart(event) and event.id not in run.parts:
        if run.parts or run.events:
            run.is_last = False
            call.runs.append(run := Run())
        run.restart = index
        run.parts[event.id] = event
    elif not run.events:
        run.parts.setdefault(event.id, event)
