"""Taking in events: whole or not at all, once each, one writer per graph at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from uuid import uuid4
from weakref import WeakValueDictionary

import orjson

from app.domain import keyframe
from app.domain.envelope import Event, Malformed, parse_line, parse_object
from app.domain.history import Batch
from app.domain.keyframe import KeyframeRefused
from app.domain.moments import Moment
from app.domain.problems import DeadlineExceeded, NotFound, StoreUnavailable, TooLate
from app.domain.times import NS_PER_S
from app.services.clock import Clock
from app.services.projectors import Held, Projectors, based, fold, places
from app.services.retention import Retention
from app.services.viewer import Viewer
from app.store import appending, bases, rewriting
from app.store.appending import Ground, Look, Overtaken, Stale
from app.store.checkpoints import Place, Stored
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.intervals import BASE
from app.store.pace import Pace

PATIENCE = 1.0
"""Seconds without progress after which another writer counts as dead, and its work is finished by whoever comes next."""

MOST_CHANGED = 50_000
"""Rows that late events may change in one transaction."""

CHECKPOINT_EVERY = 4_000
"""Events after which a graph's state is kept; more where it has more nodes, so that keeping it costs each event the same."""

_LOOK_AGAIN = 0.02


@dataclass(frozen=True, slots=True)
class Invalid:
    """What could not be read: its place in the call, and why (E2)."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a call (Q19). `moment` is just after it, judged at the server's clock (R24)."""

    accepted: int
    duplicates: int
    invalid: list[Invalid]
    moment: Moment


@dataclass(slots=True)
class _Call:
    """One call: its events, each once, how many envelopes held one, and how many it brought (seen soon, whoever finishes the work).

    `parts`: lines of a keyframe that come before all events (E129), by id.
    """

    events: dict[str, Event] = field(default_factory=dict)
    parts: dict[str, Event] = field(default_factory=dict)
    invalid: list[Invalid] = field(default_factory=list)
    envelopes: int = 0
    accepted: int = 0


@dataclass(slots=True)
class _Turn:
    """A writer's turn at a graph. `held`: the graph's projector while the store has all that it says; None while it is carried on.

    `wrote`: where the graph stands after this writer has put events into it.
    """

    graph_id: str
    held: Held | None
    wrote: Ground | None = None

    def take(self) -> Held | None:
        """Takes the projector, to carry it on."""
        held, self.held = self.held, None
        return held


class Appends:
    """Taking events into graphs."""

    def __init__(self, store: Store, projectors: Projectors, clock: Clock, retention: Retention | None = None) -> None:
        """Without `retention` graphs keep what they do not say themselves."""
        self._store = store
        self._retention = Retention(store, projectors, 0) if retention is None else retention
        self._projectors = projectors
        self._clock = clock
        self._writer = uuid4().hex
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def append(self, viewer: Viewer, graph_id: str, envelopes: Sequence[object], deadline: Deadline) -> Appended:
        """Takes events in: all that are new, or none (Q19).

        `envelopes` are lines (bytes) or JSON objects; `graph_id` has its prefix. Ids that are held already count as duplicates (E9), also
        where an earlier call's outcome was never learnt: sending again is always safe. Keyframe lines count as neither: before the first
        events of a graph they are what it starts from (I31), and nothing otherwise (E131).

        Raises: Forbidden, NotFound, TooLate, DeadlineExceeded, StoreUnavailable.
        """
        viewer.require("write")
        call = await _read(envelopes)
        async with self._turn(graph_id, deadline) as turn:
            held = await self._taken_in(viewer, turn, call, deadline)
            if turn.wrote is not None:
                held = await self._kept(turn, held, turn.wrote, deadline)
            last = held.projector.head_event
            moment = Moment(
                graph=graph_id,
                g=held.g,
                seq=held.standing.head,
                event=None if last is None else last.id,
                time_ns=self._clock() // 1_000 * NS_PER_S,
                revision=held.standing.revision,
            )
        return Appended(call.accepted, call.envelopes - call.accepted, call.invalid, moment)

    @asynccontextmanager
    async def _turn(self, graph_id: str, deadline: Deadline) -> AsyncIterator[_Turn]:
        lock = self._locks.setdefault(graph_id, asyncio.Lock())
        try:
            async with asyncio.timeout(deadline.remaining()):
                await lock.acquire()
        except TimeoutError as error:
            raise DeadlineExceeded from error
        turn = _Turn(graph_id, self._projectors.take(graph_id))
        try:
            yield turn
        finally:
            if turn.held is not None:
                self._projectors.keep(graph_id, turn.held)
            lock.release()

    async def _taken_in(self, viewer: Viewer, turn: _Turn, call: _Call, deadline: Deadline) -> Held:
        trusting = True
        while not deadline.expired:
            held = turn.held
            ids = _perhaps_held(held, call.events) if trusting else list(call.events)
            if trusting and held is not None and call.events and not ids:
                # where we left it, says the first statement too, or it writes nothing: then we look
                look: Look | None = Look(held.account, held.g, held.standing, 0, None, 0, {})
            else:
                look = await appending.look(self._store, turn.graph_id, None if held is None else held.g, ids, deadline)
            if look is None or look.account != viewer.account or not viewer.may_see(turn.graph_id):
                raise NotFound("No such graph.")
            try:
                if not look.settled:
                    await self._finish(turn, look, deadline)
                elif call.parts and not look.standing.written:
                    await self._laid(turn, look, list(call.parts.values()), deadline)
                    call.parts.clear()
                elif held is None or (held.g, held.standing) != (look.g, look.standing):
                    turn.held = await self._projectors.at(turn.take(), look, look.standing.head, deadline)
                elif new := self._new(look, call):
                    if not _is_late(held, new):
                        return await self._written(turn, new, call, deadline)
                    if not trusting:
                        return await self._rewritten(turn, new, call, deadline)
                    trusting = False  # history is rewritten only with all ids looked up
                elif all(seq <= look.standing.head for seq in look.known.values()):
                    return held
            except Stale:
                trusting = False
        raise DeadlineExceeded

    async def _kept(self, turn: _Turn, held: Held, ground: Ground, deadline: Deadline) -> Held:
        """After events came: the oldest go (R67), and the state is kept now and then, for restarts and late events to begin at."""
        try:
            if held.unkept >= max(CHECKPOINT_EVERY, held.projector.node_count):
                await self._projectors.save(ground, held, deadline)
            turn.held = held = await self._retention.trim(ground, held, deadline)
        except (Stale, DeadlineExceeded, StoreUnavailable):
            pass  # the events are in: whoever writes next does it
        return held

    async def _laid(self, turn: _Turn, look: Look, parts: list[Event], deadline: Deadline) -> None:
        """Lays the base that a keyframe's lines make under a graph that has had nothing (I31, E133). If they make none, so be it (E130)."""
        turn.take()
        try:
            leading = keyframe.leading(parts)
            base = Stored(Place(BASE, keyframe.event_of(leading[0]), leading[0].ts), keyframe.texts_of(leading), [])
            projector, batch = await based(base)
        except KeyframeRefused:
            return
        ground = Ground(turn.graph_id, look.g, look.standing, self._writer)
        ground = await bases.lay(self._store, ground, base, batch, self._clock(), deadline)
        turn.held = Held(projector, look.account, look.g, ground.standing)

    def _new(self, look: Look, call: _Call) -> list[Event]:
        """The call's events that the graph does not hold, in order (E10)."""
        if call.accepted:
            return []
        return sorted((event for own_id, event in call.events.items() if own_id not in look.known), key=lambda event: event.order)

    async def _written(self, turn: _Turn, new: list[Event], call: _Call, deadline: Deadline) -> Held:
        held = turn.take()
        assert held is not None
        batch = Batch()
        await fold(held.projector, places(held.standing.written, new), batch)
        ground = Ground(turn.graph_id, held.g, held.standing, self._writer)
        try:
            ground = await appending.write(self._store, ground, batch, self._clock(), deadline)
        except Overtaken:
            call.accepted = len(new)
            raise
        call.accepted, turn.wrote = len(new), ground
        turn.held = held = replace(held, standing=ground.standing, unkept=held.unkept + len(new))
        return held

    async def _rewritten(self, turn: _Turn, new: list[Event], call: _Call, deadline: Deadline) -> Held:
        """Takes in events of which some are late (E12, I33)."""
        held = turn.take()
        assert held is not None
        again = await self._projectors.with_late(held, new, deadline)
        if again.changed.size > MOST_CHANGED:
            raise TooLate(new[0].id, again.changed.size, MOST_CHANGED)
        ground = await rewriting.turn(self._store, Ground(turn.graph_id, held.g, held.standing, self._writer), deadline)
        to = again.standing(ground.standing)
        ground = await rewriting.rewrite(self._store, ground, again.changed, to, again.ends, self._clock(), deadline)
        call.accepted = len(new)
        ground = await rewriting.turn(self._store, ground, deadline)
        turn.wrote = ground
        turn.held = held = replace(
            held, projector=again.projector, standing=ground.standing, marks=again.marks, unkept=held.unkept + len(new)
        )
        return held

    async def _finish(self, turn: _Turn, look: Look, deadline: Deadline) -> None:
        """Finishes what a writer left half done, once it does not get on with it. Raises: Stale."""
        standing = look.standing
        if look.writer != self._writer and await self._gets_on(turn.graph_id, look, deadline):
            return
        ground = Ground(turn.graph_id, look.g, standing, self._writer)
        if standing.revision % 2:
            await rewriting.turn(self._store, ground, deadline)
            return
        if look.adding:
            await appending.clear(self._store, ground, look.adding, deadline)
            return
        held = await self._projectors.at(turn.take(), look, standing.applied, deadline)
        unapplied = standing.written > standing.applied
        if unapplied:
            batch = await self._projectors.rest(held, standing.written, deadline)
            ground = await appending.places(self._store, ground, batch, deadline, again=True)
        ground = await appending.head(self._store, ground, None, deadline, first=not unapplied)
        turn.held = replace(held, standing=ground.standing)

    async def _gets_on(self, graph_id: str, look: Look, deadline: Deadline) -> bool:
        until = monotonic() + PATIENCE
        while monotonic() < until:
            await asyncio.sleep(_LOOK_AGAIN)
            again = await appending.look(self._store, graph_id, None, [], deadline)
            if again is None or again.pieces != look.pieces:
                return True
        return False


def _is_late(held: Held, new: Sequence[Event]) -> bool:
    """Whether the first of these comes before the graph's newest event (E12)."""
    last = held.projector.head_event
    return last is not None and new[0].order < last.order


def _perhaps_held(held: Held | None, events: Mapping[str, Event]) -> list[str]:
    """Ids of those of `events` that the graph may hold by all that is known. One that comes after its head can only be held if the same id
    is in use at another time (E9): that is seen when it is written, as a key that is there already."""
    last = None if held is None else held.projector.head_event
    return [own_id for own_id, event in events.items() if last is None or event.order <= last.order]


async def _read(envelopes: Sequence[object]) -> _Call:
    call, pace = _Call(), Pace()
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
            continue
        except orjson.JSONEncodeError:
            call.invalid.append(Invalid(index, "not JSON"))
            continue
        if event.type != keyframe.TYPE:
            call.envelopes += 1
            call.events.setdefault(event.id, event)
        elif not call.events:
            call.parts.setdefault(event.id, event)
    return call
