"""A producer, written from the protocol's description alone (I3-I23): it shares nothing with the product.

It keeps what it would keep on disk, and the bytes of its log, which say what it meant the server to know.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.oracle import keyframe_state, log_of
from tests.oracle.keyframes import pack
from tests.oracle.times import time_of

Send = Callable[[str, str, dict[str, str], bytes], Awaitable[tuple[int, bytes]]]
"""Method, path, headers, body: the answer's status and body. Raises OSError where there is no answer."""

FINE = {200, 201, 204}


class Ended(Exception):  # noqa: N818 - not a fault of the test
    """The share is over: an answer that the producer does not survive (I21)."""


@dataclass
class Disk:
    """What a producer keeps between two runs (I17)."""

    log_id: str | None = None
    write_token: str = ""
    offset: int = 0
    part: int = 196_608
    """Characters of a keyframe's part: the same in every run."""
    meant: bytearray = field(default_factory=bytearray)
    """Every byte of the log that was acknowledged. (The tests' own: a producer need not keep it.)"""

    @property
    def log(self) -> bytes:
        """What the log says, without keyframes that a run began to send, or sent, and the next one sent anew.

        The next one's stands for the same event, so its lines have the same ids; what it holds besides may have come late in between.
        """
        kept: list[bytes] = []
        keyframe: list[bytes] = []
        for line in bytes(self.meant).splitlines(keepends=True):
            if b'"agent-graph:keyframe"' not in line:
                kept += [*keyframe, line]
                keyframe = []
            elif b'"part": 0,' in line:
                keyframe = [line]
                kept = [each for each in kept if b'"agent-graph:keyframe"' not in each or _stands_for(each) != _stands_for(line)]
            else:
                keyframe.append(line)
        return b"".join([*kept, *keyframe])


def _stands_for(part: bytes) -> str:
    """The id of the event after which a keyframe is."""
    return str(json.loads(part)["id"]).partition("~")[0]


@dataclass
class Producer:
    """One run. `every`: K of I13-I15; `most`: bytes of a chunk."""

    send: Send
    login: str
    disk: Disk
    every: int = 8
    most: int = 1_500
    events: list[dict[str, Any]] = field(default_factory=list)
    """Everything that it knows of, in order (E10)."""
    since: int = 0
    late: bool = False
    blocks: list[list[bytes]] = field(default_factory=list)
    """Lines to be sent; each block begins a chunk (I11)."""
    cuts: list[int] = field(default_factory=list)
    """Where the keyframes of this run begin in the log."""
    trims: list[tuple[int, int]] = field(default_factory=list)
    """Trims to ask for: once the log is that long, of what is before that offset (I15)."""

    async def begin(self, events: list[dict[str, Any]]) -> None:
        """A first share of what there is (I13). Raises: Ended, OSError."""
        self.disk = Disk(part=self.disk.part)
        self.events, self.blocks, self.cuts, self.trims, self.since, self.late = [], [], [], [], 0, False
        before = (len(events) // self.every - 1) * self.every if len(events) >= 2 * self.every else 0
        self.events = events[:before]
        if before:
            self._keyframe(restart=False)
        for event in events[before:]:
            self.add(event)
        first = self._chunk()
        status, body = await self.send("POST", "/api/logs", self._headers(**{"X-Agent-Graph-Source": "watch"}), first)
        if status not in (200, 201):
            raise OSError(status) if status == 429 or status >= 500 else Ended(status)
        said = json.loads(body)
        assert {"id", "url", "writeToken", "accountStatus", "freeUntil"} <= set(said)
        self.disk.log_id, self.disk.write_token = said["id"], said["writeToken"]
        self._acknowledged(first)

    async def resume(self, events: list[dict[str, Any]]) -> None:
        """Goes on with the share of an earlier run: what happened meanwhile is in one restart keyframe alone (I17, I20). Raises: Ended."""
        await self._until_fine("watch", {"X-Agent-Graph-Write-Token": self.disk.write_token}, b"", bearer=self.login)
        self.events, self.blocks, self.cuts, self.trims = list(events), [], [], []
        self._keyframe(restart=True)

    def add(self, event: dict[str, Any]) -> None:
        """One more event: a late one too is sent as it comes (I14, I16)."""
        at = next((n for n in range(len(self.events), 0, -1) if log_order(self.events[n - 1]) <= log_order(event)), 0)
        self.late = self.late or at < len(self.events)
        self.events.insert(at, event)
        if not self.blocks:
            self.blocks.append([])
        self.blocks[-1].append(json.dumps(event, ensure_ascii=False).encode() + b"\n")
        self.since += 1
        if self.since >= self.every:
            self._keyframe(restart=self.late)

    def odd(self, line: bytes) -> None:
        """A line of the log that is no event: sent too (I9)."""
        if not self.blocks:
            self.blocks.append([])
        self.blocks[-1].append(line + b"\n")

    async def push(self) -> None:
        """Sends all that is pending, chunk by chunk, each until it is acknowledged (I7, I21). Raises: Ended."""
        while chunk := self._chunk():
            await self._until_fine(f"append?offset={self.disk.offset}", {}, chunk)
            self._acknowledged(chunk)
            while self.trims and self.trims[0][0] <= self.disk.offset:
                _, before = self.trims.pop(0)
                if await self._asked(f"trim?before={before}", {}, b"") == 410:
                    raise Ended(410)

    async def check_in(self) -> None:
        """I18: whatever comes of it."""
        said = {"sessions": 3, "host": "build-box", "summary": {"acme:aurora": {"secret": "hush"}}}
        await self._asked("alive", {}, json.dumps(said).encode())

    def _keyframe(self, *, restart: bool) -> None:
        log = log_of(self.events)
        last = log.events[-1]
        (whole, *more) = pack(keyframe_state(log, len(log.events)), last["ts"], last["id"])
        text = "".join(part["data"]["text"] for part in (whole, *more))
        cuts = [text[at : at + self.disk.part] for at in range(0, len(text), self.disk.part)]
        block = []
        for number, cut in enumerate(cuts):
            data = {"part": number, "parts": len(cuts), "text": cut, **({"restart": True} if restart else {})}
            block.append(json.dumps({**whole, "id": f"{last['id']}~{number:06d}", "data": data}).encode() + b"\n")
        at = self.disk.offset + sum(len(line) for each in self.blocks for line in each)
        self.blocks = [*filter(None, self.blocks), block]
        if restart:
            self.trims.append((at + sum(map(len, block)), at))
        elif self.cuts:
            self.trims.append((at + sum(map(len, block)), self.cuts[-1]))
        self.cuts.append(at)
        self.since, self.late = 0, False

    def _chunk(self) -> bytes:
        """The next chunk, cut at the last line end that fits; a longer line alone (I8). It stays the same until it is acknowledged."""
        block = next(filter(None, self.blocks), [])
        chunk = b""
        for line in block:
            if chunk and len(chunk) + len(line) > self.most:
                break
            chunk += line
        return chunk

    def _acknowledged(self, chunk: bytes) -> None:
        self.disk.offset += len(chunk)
        self.disk.meant += chunk
        self.blocks = [*filter(None, self.blocks)]
        left = len(chunk)
        while left:
            left -= len(self.blocks[0].pop(0))
        if not self.blocks[0] and len(self.blocks) > 1:
            self.blocks.pop(0)

    async def _until_fine(self, call: str, headers: dict[str, str], body: bytes, bearer: str | None = None) -> None:
        while (status := await self._asked(call, headers, body, bearer)) not in FINE:
            if status is not None and status != 429 and status < 500:
                raise Ended(status)

    async def _asked(self, call: str, headers: dict[str, str], body: bytes, bearer: str | None = None) -> int | None:
        given = {"Authorization": f"Bearer {bearer or self.disk.write_token}", **headers}
        try:
            return (await self.send("POST", f"/api/logs/{self.disk.log_id}/{call}", given, body))[0]
        except OSError:
            return None

    def _headers(self, **more: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.login}", "Content-Type": "application/x-ndjson", **more}


def log_order(event: dict[str, Any]) -> tuple[int, bytes]:
    """What events sort by (I10)."""
    return time_of(event["ts"]), event["id"].encode()
