"""What scenes are made of: steps, names, and the schedule that interleaves scenes in order of time."""

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush, heapreplace
from random import Random
from typing import Any

from app.demo.stamps import Stamps

Event = dict[str, Any]
Step = tuple[int, str, str, dict[str, Any], str | None]
"""Delay in ms after the scene's last step, event type, node, data, parent."""
Scene = Iterator[Step]

_VERSIONS = {"claude-code": "3.2.0", "codex": "0.61.4", "cursor": "2.9.1", "run": "1.4.0"}


def at(delay: int, event_type: str, node: str, parent: str | None = None, /, **data: Any) -> Step:
    """A step of a scene: `delay` ms after the one before; the keywords are the event's data."""
    return delay, event_type, node, data, parent


def together(scenes: Iterable[Scene]) -> Scene:
    """One scene in which all of `scenes` go on at the same time."""
    rival = _Heap()
    for scene in scenes:
        rival.add(0, scene)
    last = 0
    while rival.entries:
        when, _, step, _ = rival.take()
        yield when - last, *step[1:]
        last = when


_Entry = tuple[int, int, Step, Scene]
"""Time, serial number, step, and the scene it is from."""


class _Heap:
    """Scenes by the time of their next step; equal times in the order they were added."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self._serial = 0

    def add(self, when: int, scene: Scene) -> None:
        step = next(scene, None)
        if step is not None:
            self._serial += 1
            heappush(self.entries, (when + step[0], self._serial, step, scene))

    def take(self) -> _Entry:
        """The earliest entry. Its scene moves on to its next step."""
        entry = self.entries[0]
        when, _, _, scene = entry
        following = next(scene, None)
        if following is None:
            heappop(self.entries)
        else:
            self._serial += 1
            heapreplace(self.entries, (when + following[0], self._serial, following, scene))
        return entry


class Schedule(_Heap):
    """Plays scenes: a heap of live scenes and the time of the last step taken from it (Unix ms)."""

    def __init__(self, now_ms: int) -> None:
        super().__init__()
        self.now = now_ms

    def start(self, scene: Scene, delay: int = 0) -> None:
        """Puts `scene` on, its first step `delay` ms (and its own delay) from now."""
        self.add(self.now + delay, scene)

    def next(self) -> _Entry:
        """The next entry. A scene that puts another on while it moves does so as of that time."""
        self.now = self.entries[0][0]
        return self.take()

    def rest(self) -> Iterator[_Entry]:
        """All entries until every scene is over."""
        while self.entries:
            yield self.next()

    def keep_only(self, kept: set[Scene]) -> None:
        """Takes off every scene that is not among `kept`."""
        self.entries = [entry for entry in self.entries if entry[3] in kept]
        heapify(self.entries)


class Writer:
    """Turns steps into event envelopes (E3, within the contract of E4)."""

    def __init__(self, stamps: Stamps) -> None:
        self._stamp = stamps.next
        self._sources: dict[str, dict[str, str]] = {}

    def event(self, at_ms: int, step: Step) -> Event:
        """The envelope of one step at `at_ms`. Its `source` is shared between events: read it, do not change it."""
        event_id, ts = self._stamp(at_ms)
        _, event_type, node, data, parent = step
        provider = node[: node.index(":")]
        source = self._sources.get(provider) or self._source(provider)
        if parent is None:
            return {"v": 1, "id": event_id, "ts": ts, "type": event_type, "node": node, "source": source, "data": data}
        return {"v": 1, "id": event_id, "ts": ts, "type": event_type, "node": node, "parent": parent, "source": source, "data": data}

    def _source(self, provider: str) -> dict[str, str]:
        source = {"provider": provider, "adapter": "demo"}
        if provider in _VERSIONS:
            source["provider_version"] = _VERSIONS[provider]
        self._sources[provider] = source
        return source


class Cast:
    """Names for a scene: sessions, processes and calls that no other scene has."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def session(self, provider: str, topic: str) -> str:
        """A fresh session ref, such as `codex:topic-3fa2b1c09d`."""
        return f"{provider}:{topic}-{self.rng.getrandbits(40):010x}"

    def process(self) -> str:
        """A fresh process name."""
        return f"host-{self.rng.getrandbits(24):06x}:{self.rng.getrandbits(32)}"

    def word(self, topic: str) -> str:
        """A fresh title or other text that begins with `topic`."""
        return f"{topic} {self.rng.getrandbits(32):08x}"


def refs_of(steps: Iterable[Step]) -> set[str]:
    """Every node that these steps may make, levels above included (a bound from above)."""
    found: set[str] = set()
    for _, event_type, node, data, parent in steps:
        named = (node, parent, data.get("child") if event_type == "spawn.returned" else None)
        for ref in named:
            while ref and ref not in found:
                found.add(ref)
                ref = ref.rpartition("/")[0]
    return found
