"""Taking in events: whole or not at all, once each, one writer per graph at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, TypeVar
from uuid import uuid4

from app.domain.envelope import Event
from app.domain.history import Batch
from app.domain.moments import Moment
from app.domain.problems import DeadlineExceeded, Forbidden, NotFound, StoreUnavailable
from app.domain.times import NS_PER_S
from app.services.calls import Call, Invalid, Run, read
from app.services.clock import Clock
from app.services.gathering import Base, gathered
from app.services.generations import Generations
from app.services.late import TooDeepError, with_late
from app.services.projectors import Held, Projectors, fold, places
from app.services.retention import Retention
from app.services.turns import Turns
from app.services.viewer import Viewer
from app.store import appending, bases, generations, rewriting
from app.store.appending import Ground, Look, Overtaken, Stale
from app.store.connection import Store
from app.store.deadline import Deadline

PATIENCE = 1.0
"""Seconds without progress after which another writer counts as dead, and its work is finished by whoever comes next."""

BUILDING_PATIENCE = 5.0
"""The same for one who writes a new generation, whose pieces are larger."""

MOST_CHANGED = 50_000
"""Rows that late events may change in one transaction; beyond that the graph's rows are written anew."""

CHECKPOINT_EVERY = 4_000
"""Events after which a graph's state is kept; more where it has more nodes, so that keeping it costs each event the same."""

_LOOK_AGAIN = 0.02
_LAYING_SECONDS = 600.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a call (Q19). `moment` is just after it, judged at the server's clock (R24).

    `restarted`: whether the graph began anew at a keyframe (E132) that this call completed.
    """

    accepted: int
    duplicates: int
    invalid: list[Invalid]
    moment: Moment
    restarted: bool = False


@dataclass(slots=True)
class _Turn:
    """A writer's turn at a graph. `held`: the graph's projector while the store has all that it says; None while it is carried on.

    `wrote`: where the graph stands after this writer has put events into it. `behind`: work that keeps the turn when its caller has gone.
    """

    graph_id: str
    held: Held | None
    wrote: Ground | None = None
    restarted: bool = False
    behind: asyncio.Task[Any] | None = None

    def take(self) -> Held | None:
        """Takes the projector, to carry it on."""
        held, self.held = self.held, None
        return held


class Appends:
    """Taking events into graphs."""

    def __init__(
        self, store: Store, projectors: Projectors, clock: Clock, retention: Retention | None = None,
        clean_up: Callable[[], None] = lambda: None, told: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        """Without `retention` graphs keep what they do not say themselves. `clean_up` has what is left of old generations cleaned away.

        `told` is called with a graph's id when something has come to it.
        """
        self._store = store
        self._retention = Retention(store, projectors, 0) if retention is None else retention
        self._projectors = projectors
        self._clock = clock
        self._clean_up = clean_up
        self._told = told
        self._generations = Generations(store, self._retention, clock)
        self._behind: set[asyncio.Task[Any]] = set()
        self._writer = uuid4().hex
        self._turns = Turns()

    async def append(
        self, viewer: Viewer, graph_id: str, envelopes: Sequence[object], deadline: Deadline, *, restart: bool = False
    ) -> Appended:
        """Takes events in: all that are new, or none (Q19).

        `envelopes` are lines (bytes) or JSON objects; `graph_id` has its prefix. Ids that are held already count as duplicates (E9), also
        where an earlier call's outcome was never learnt: sending again is always safe. Keyframe lines count as neither: before the first
        events of a graph they are what it starts from (I31), and nothing otherwise (E131). A keyframe's lines may come in several calls;
        those that are waited for are kept in the store.

        `restart`: the caller may make a graph begin anew (I35: the compatible door; the direct one where it was asked for, by an admin).
        Then part 0 of a keyframe that says `restart`, to a graph that holds something, has this effect once all its parts are here (E132,
        I31): its state is what the graph starts from, events at or before its place are gone and their ids forgotten, those after it
        apply on it. Every reader sees all of that or nothing. Where the parts are no keyframe, or events come before all are there, the
        graph stays as it is and is marked as possibly incomplete. The same restart again changes nothing; one at the same event that holds
        something else takes its place (I17). A call with a restart in its midst is taken in stretch by stretch, each whole. Without
        `restart` such a line is invalid.

        A large keyframe, and late events that change much of a long history, may outlast `deadline`: they are taken in all the same, and
        the call can be sent again.

        Raises: Forbidden, NotFound, DeadlineExceeded, StoreUnavailable.
        """
        viewer.require("write")
        call = await read(envelopes)
        async with self._turn(graph_id, deadline) as turn:
            for run in call.runs:
                held = await self._taken_in(viewer, turn, call, run, deadline, restart=restart)
            if turn.wrote is not None:
                self._told(graph_id)
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
        call.invalid.sort(key=lambda invalid: invalid.index)
        return Appended(call.accepted, call.envelopes - call.accepted, call.invalid, moment, turn.restarted)

    async def close(self) -> None:
        """Stops what goes on behind callers that have gone, between two pieces; the next writer puts it in order."""
        tasks = list(self._behind)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @asynccontextmanager
    async def _turn(self, graph_id: str, deadline: Deadline) -> AsyncIterator[_Turn]:
        lock = await self._turns.take(graph_id, deadline)
        turn = _Turn(graph_id, self._projectors.take(graph_id))
        try:
            yield turn
        finally:

            def over(_: object = None) -> None:
                if turn.held is not None:
                    self._projectors.keep(graph_id, turn.held)
                lock.release()

            if turn.behind is None or turn.behind.done():
                over()
            else:
                turn.behind.add_done_callback(over)

    async def _kept_up(self, turn: _Turn, work: Coroutine[Any, Any, T], deadline: Deadline) -> T:
        """What `work` gives, which goes on to its end, and keeps the turn, whether its caller waits for it or not.

        Raises: DeadlineExceeded.
        """
        turn.behind = task = asyncio.create_task(work)
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)
        done, _ = await asyncio.wait({task}, timeout=deadline.remaining())
        if not done:
            task.add_done_callback(lambda task: task.cancelled() or task.exception())  # whoever sends it again is told
            raise DeadlineExceeded
        return task.result()

    async def _taken_in(self, viewer: Viewer, turn: _Turn, call: Call, run: Run, deadline: Deadline, *, restart: bool) -> Held:
        trusting = True
        while not deadline.expired:
            held = turn.held
            ids = _perhaps_held(held, run.events) if trusting else list(run.events)
            if trusting and held is not None and run.events and not ids and not run.parts:
                # where we left it, says the first statement too, or it writes nothing: then we look
                look: Look | None = Look(held.account, held.g, held.standing, 0, None, 0, {})
            else:
                look = await appending.look(self._store, turn.graph_id, None if held is None else held.g, ids, deadline)
            if look is None or look.account != viewer.account:
                raise NotFound("No such graph.")
            if not viewer.may_see(turn.graph_id):
                raise Forbidden("This key was made for other graphs.")
            try:
                if not look.settled:
                    await self._finish(turn, look, deadline)
                elif run.parts:
                    await self._begun(turn, look, call, run, deadline, restart=restart)
                    run.parts.clear()
                elif held is None or (held.g, held.standing) != (look.g, look.standing):
                    turn.held = await self._projectors.at(turn.take(), look, look.standing.head, deadline)
                elif new := await self._new(look, run):
                    if not _is_late(held, new):
                        return await self._written(turn, new, run, deadline)
                    if len(ids) == len(run.events):
                        return await self._rewritten(turn, new, run, deadline)
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

    async def _begun(self, turn: _Turn, look: Look, call: Call, run: Run, deadline: Deadline, *, restart: bool) -> None:
        """Looks what a keyframe's lines make of the graph (I31): what it starts from, or, if they say so, a new beginning.

        If they make nothing, or not yet: so be it (E130).
        """
        empty = not look.standing.written
        if not empty and not restart:
            if run.restart is not None:
                call.invalid.append(Invalid(run.restart, "it would make the graph begin anew, which is not allowed here"))
            return
        ground = Ground(turn.graph_id, look.g, look.standing, self._writer)
        base = await gathered(self._store, ground, run, restart=not empty, deadline=deadline)
        if base is None:
            return
        self._projectors.let_go(turn.take())
        if empty:
            await self._kept_up(turn, self._laid(turn, look, ground, base), deadline)
        elif not await self._generations.is_base(ground, base, deadline):
            await self._kept_up(turn, self._restarted(turn, look, ground, base), deadline)

    async def _laid(self, turn: _Turn, look: Look, ground: Ground, base: Base) -> None:
        ground = await bases.lay(self._store, ground, base.stored, base.batch, self._clock(), Deadline.after(_LAYING_SECONDS))
        turn.held = Held(base.projector, look.account, look.g, ground.standing)

    async def _restarted(self, turn: _Turn, look: Look, ground: Ground, base: Base) -> None:
        turn.held = await self._generations.restart(ground, look.account, base)
        turn.wrote, turn.restarted = None, True
        self._clean_up()

    async def _new(self, look: Look, run: Run) -> list[Event]:
        """The run's events that the graph does not hold, in order (E10). Thousands take a turn of the loop."""
        if run.accepted:
            return []
        await asyncio.sleep(0)
        return sorted((event for own_id, event in run.events.items() if own_id not in look.known), key=lambda event: event.order)

    async def _written(self, turn: _Turn, new: list[Event], run: Run, deadline: Deadline) -> Held:
        held = turn.take()
        assert held is not None
        batch = Batch()
        await fold(held.projector, places(held.standing.written, new), batch)
        ground = Ground(turn.graph_id, held.g, held.standing, self._writer)
        try:
            ground = await appending.write(self._store, ground, batch, self._clock(), deadline)
        except Overtaken:
            run.accepted = len(new)
            raise
        run.accepted, turn.wrote = len(new), ground
        if held.tape is not None:
            held.tape.take(batch)
        turn.held = held = replace(held, standing=ground.standing, unkept=held.unkept + len(new))
        return held

    async def _rewritten(self, turn: _Turn, new: list[Event], run: Run, deadline: Deadline) -> Held:
        """Takes in events of which some are late (E12, I33)."""
        held = turn.take()
        assert held is not None
        ground = Ground(turn.graph_id, held.g, held.standing, self._writer)
        newest = held.projector.head_event
        late = {event.id for event in new if newest is not None and event.order < newest.order}
        try:
            again = await with_late(self._store, self._projectors, held, new, deadline)
            if again.changed.size > MOST_CHANGED:
                raise TooDeepError
        except TooDeepError:
            await self._kept_up(turn, self._written_anew(turn, held, ground, new, late, run), deadline)
            assert turn.held is not None
            return turn.held
        self._projectors.let_go(held)  # while the store writes
        to = again.standing(ground.standing)
        ground = await rewriting.rewrite(self._store, ground, again.changed, to, again.ends, late, self._clock(), deadline)
        run.accepted = len(new)
        ground = await rewriting.turn(self._store, ground, deadline)
        turn.wrote = ground
        turn.held = held = replace(
            held, projector=again.projector, standing=ground.standing, marks=again.marks, tape=again.tape, unkept=held.unkept + len(new)
        )
        return held

    async def _written_anew(self, turn: _Turn, held: Held, ground: Ground, new: list[Event], late: Container[str], run: Run) -> None:
        self._projectors.let_go(held)
        turn.held, turn.wrote = await self._generations.with_late(ground, held.account, new, late)
        run.accepted = len(new)
        self._clean_up()

    async def _finish(self, turn: _Turn, look: Look, deadline: Deadline) -> None:
        """Finishes what a writer left half done, once it does not get on with it. Raises: Stale."""
        standing = look.standing
        patience = BUILDING_PATIENCE if look.adding < 0 else PATIENCE
        if look.writer != self._writer and await self._gets_on(turn.graph_id, look, patience, deadline):
            return
        ground = Ground(turn.graph_id, look.g, standing, self._writer)
        if look.adding < 0:
            await generations.abandon(self._store, ground, -look.adding, self._clock(), deadline)
            self._clean_up()
            return
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

    async def _gets_on(self, graph_id: str, look: Look, patience: float, deadline: Deadline) -> bool:
        until = monotonic() + patience
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
