"""Answers as the bytes they are sent as, with their tags (R29); those given lately are kept."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

import msgspec
from cachetools import LRUCache

from app.rest.call import Answer, Plan
from app.rest.plans import LONGEST, Planned
from app.services.etags import etag
from app.services.graph_at import GraphAt
from app.services.shared import SharedReads
from app.store.deadline import Deadline

_ENCODER: Final = msgspec.json.Encoder()

_OVERHEAD: Final = 1_000
"""Bytes that keeping an answer takes besides its body."""


@dataclass(frozen=True, slots=True)
class Made:
    """A body, its tag, and whether it can never change (R31)."""

    body: bytes
    tag: str
    fixed: bool


class Answers:
    """Answers, made or kept: at most `most` bytes of them (0: none).

    An answer is kept by what was asked, and the generation, revision and moment of the graph that it was read from: whoever finds it again
    would be given the same. Who may see the graph has been looked at before. Only answers about one graph are kept.
    """

    def __init__(self, most: int) -> None:
        self._making = SharedReads[Made]()
        self._kept: LRUCache[Hashable, Made] = LRUCache(most, lambda made: len(made.body) + _OVERHEAD)

    async def of(self, planned: Planned, plan: Plan, at: GraphAt, deadline: Deadline) -> Made:
        """The answer at a moment; those who ask for the same one at once are given the same work. Raises: Problem, Refused."""
        key = (planned.name, *_read_from(at, plan))
        found = self._kept.get(key)
        if found is not None:
            return found

        async def make(_: Deadline) -> Made:
            found = self._kept.get(key)  # while this waited for its turn
            if found is None:
                found = made(await plan.read(at))
                if len(found.body) + _OVERHEAD <= self._kept.maxsize and len(planned.name[2]) <= LONGEST:
                    self._kept[key] = found
            return found

        return await self._making.get(key, make, deadline)


def made(answer: Answer) -> Made:
    """An answer's bytes and tag."""
    body = _ENCODER.encode(answer.body)
    return Made(body, etag(body), answer.fixed)


def _read_from(at: GraphAt, plan: Plan) -> tuple[Hashable, ...]:
    moment, standing = at.moment, at.info.standing
    held = standing if plan.held else None
    return moment.g, moment.revision, moment.seq, moment.fixed, None if plan.timeless else moment.time_ns, held
