"""Live shares as the public tool pushes them: a log of chunks, addressed by byte offset (I1-I8, I28-I32)."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from app.domain import ids
from app.domain.problems import ChunkRefused, DeadlineExceeded, NotFound, Problem, ShareGone, TooFar
from app.services.appending import Appends
from app.services.clock import Clock
from app.services.graphs import Graphs
from app.services.turns import Turns
from app.services.viewer import Viewer
from app.services.write_tokens import WriteTokens
from app.store import chunks, deleting, graphs
from app.store.connection import Store
from app.store.deadline import Deadline

MOST_SPAN: Final = 64 * 1024 * 1024
"""Bytes that a log may span from its first kept chunk (I8)."""

_TRIES = 3
_UNDOING_SECONDS = 5.0

_log = structlog.get_logger("shares")


@dataclass(frozen=True, slots=True)
class Share:
    """A new share: its graph, and the token that lets its holder write."""

    graph_id: str
    write_token: str


class Shares:
    """Shares: made, appended to, checked in, claimed.

    A chunk is acknowledged when its events are in and it is written down. The events come first: a chunk that was cut off in between comes
    again with the same bytes (I7), its events are there already, and it is written down then. So an unanswered chunk may have left its
    events, but never anything by half, and one that was acknowledged changes nothing when it comes again.
    """

    def __init__(self, store: Store, clock: Clock, reading: Graphs, appends: Appends) -> None:
        self._store = store
        self._clock = clock
        self._graphs = reading
        self._appends = appends
        self._tokens = WriteTokens(store)
        self._turns = Turns()

    async def create(self, viewer: Viewer, source: str, first: bytes, deadline: Deadline) -> Share:
        """A new share of the caller's account with its first chunk, which may be empty (I4, I29). Raises: Forbidden."""
        made = await self._graphs.create(viewer, None, source, None, deadline)
        try:
            token = await self._tokens.of(made.id, deadline)
            await self.append(made.id, 0, first, deadline)
        except BaseException:
            with suppress(Problem):  # nobody will ever know its id
                await deleting.delete(self._store, made.id, self._clock(), Deadline.after(_UNDOING_SECONDS))
            raise
        return Share(made.id, token)

    async def check(self, graph_id: str, write_token: str | None, deadline: Deadline) -> None:
        """Whether a token is the share's. Raises: WriteTokenWrong."""
        await self._tokens.check(graph_id, write_token, deadline)

    async def reachable(self, graph_id: str, offset: int, deadline: Deadline) -> None:
        """Whether a chunk could begin there at all (I5, I8). Raises: TooFar."""
        if offset > MOST_SPAN:
            _within_span(await chunks.look_locked(self._store, graph_id, offset, deadline), offset)

    async def append(self, graph_id: str, offset: int, chunk: bytes, deadline: Deadline) -> None:
        """Takes a chunk in at its offset (I5-I7, I30). Odd lines are counted, and no fault (I30).

        Raises: ShareGone, ChunkRefused, TooFar, StoreUnavailable, DeadlineExceeded.
        """
        if not chunk:
            return
        hashed = hashlib.sha256(chunk).hexdigest()
        turn = await self._turns.take(graph_id, deadline)
        try:
            for _ in range(_TRIES):
                try:
                    log = _fitting(await chunks.look(self._store, graph_id, offset, deadline), offset, hashed)
                except (ShareGone, ChunkRefused, TooFar):  # a producer ends its share at that: look for certain
                    log = _fitting(await chunks.look_locked(self._store, graph_id, offset, deadline), offset, hashed)
                if log.hash is not None or await self._taken(log.account, graph_id, offset, chunk, hashed, deadline):
                    return
        finally:
            turn.release()
        raise DeadlineExceeded  # others write chunks at the same time, again and again

    async def trim(self, graph_id: str, before: int, deadline: Deadline) -> None:
        """The producer will not send again what begins before that offset: it is forgotten, but for the last chunk (I19, I32).

        Events stay: how many a graph keeps is decided here (R67). Raises: ShareGone.
        """
        await self._there(graph_id, deadline)
        known = await chunks.offsets(self._store, graph_id, deadline)
        gone = [offset for offset in known[:-1] if offset < before]
        if gone:
            await chunks.forget(self._store, graph_id, gone, known[len(gone)], deadline)

    async def check_in(self, graph_id: str, sessions: int, host: str | None, deadline: Deadline) -> None:
        """Notes that the producer runs, where, and how many sessions it saw lately (I18, I37). Raises: ShareGone."""
        news = {"heard": self._clock(), "producer_sessions": sessions, "producer_host": host}
        if not await graphs.update(self._store, graph_id, news, deadline):
            raise ShareGone

    async def claim(self, viewer: Viewer, graph_id: str, deadline: Deadline) -> None:
        """Whether the caller's account has this share, to go on with it (I20). Raises: Forbidden, NotFound."""
        viewer.require("write")
        row = await graphs.one(self._store, graph_id, deadline)
        if row is None or row.account != viewer.account or not viewer.may_see(graph_id):
            raise NotFound("No such share in this account.")

    async def _taken(self, account: str, graph_id: str, offset: int, chunk: bytes, hashed: str, deadline: Deadline) -> bool:
        """Its events, and then the chunk itself. False: the log is gone or has grown meanwhile."""
        writer = Viewer(account, frozenset({"write"}), frozenset({graph_id}))
        try:
            taken = await self._appends.append(writer, graph_id, chunk.split(b"\n"), deadline, restart=True)
        except NotFound as gone:
            raise ShareGone from gone
        skipped = len(taken.invalid)
        if skipped:
            _log.info("lines skipped", graph=graph_id, offset=offset, lines=skipped)
        return await chunks.record(
            self._store, graph_id, offset, len(chunk), hashed, skipped=skipped, heard=self._clock(), deadline=deadline
        )  # fmt: skip

    async def _there(self, graph_id: str, deadline: Deadline) -> None:
        if await graphs.standing(self._store, graph_id, deadline) is None:
            raise ShareGone


def share_of(log_id: str) -> str | None:
    """The graph of a log id (I29); None if it is not 12 base62 characters."""
    return None if log_id.startswith(ids.GRAPH_PREFIX) else ids.graph_id(log_id)


def _fitting(log: chunks.Log | None, offset: int, hashed: str) -> chunks.Log:
    """The log, if a chunk fits in at its offset: as the next, or as the one that came there. Raises: ShareGone, ChunkRefused, TooFar."""
    _within_span(log, offset)
    if log is None:
        raise ShareGone
    if log.hash not in (None, hashed):
        raise ChunkRefused("Other bytes came at this offset before.")
    if log.hash is None and offset != (log.end or 0):
        raise ChunkRefused("This chunk does not begin where the log ends.")
    return log


def _within_span(log: chunks.Log | None, offset: int) -> None:
    """Raises: TooFar (I5)."""
    if offset > MOST_SPAN and (log is None or log.start is None or not log.start <= offset <= log.start + MOST_SPAN):
        raise TooFar
