"""Taking envelopes in (M6-M9): local ones as they are, uploads by the cloud profile (G47-G53). Whole or not at all, once each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson

from app.domain.problems import DeadlineExceeded, Problem
from app.domain.rho.apart import Apart, take_apart
from app.domain.rho.json_text import read_json, write_fact, write_json
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.validate import Valid, validate
from app.domain.rho.vocabulary import MOST_BYTES
from app.services.clock import Clock
from app.services.rho.access import require_write
from app.services.rho.upload_request import UploadRequest, project_of
from app.services.viewer import Viewer
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.rho import reading, retention, writing
from app.store.rho.keys import snapshot_key
from app.store.rho.reading import SnapshotRow
from app.store.rho.writing import Retired, Taken, Upload

T = TypeVar("T")


class SyncIdConflict(Problem):
    """The sync id was used for another graph (G51)."""

    code = "BAD_USER_INPUT"

    def __init__(self) -> None:
        super().__init__("sync_id_conflict: this sync id was accepted before, for another graph.", kind="sync_id_conflict", path="syncId")


@dataclass(frozen=True)
class Imported:
    """What became of an import. `created`: the snapshot is new; `graph`: the key of the graph that it belongs to."""

    snapshot: SnapshotRow
    graph: str
    created: bool
    valid: Valid

    def told(self) -> dict[str, Any]:
        """As commands and doors show it."""
        return {
            "snapshot": self.snapshot.key,
            "graph": self.graph,
            "created": self.created,
            "facts": self.valid.facts,
            "canonical_sha256": self.snapshot.body_sha256,
            "graph_digest": self.snapshot.digest,
            "warnings": [warning.told() for warning in self.valid.warnings],
        }


@dataclass(frozen=True)
class Synced:
    """What became of an upload (G50). `facts`: how many it brought; 0 for a duplicate. `snapshot`: the key of the one that holds it."""

    duplicate: bool
    digest: str
    facts: int
    snapshot: str

    @property
    def status(self) -> int:
        """As HTTP says it (G50)."""
        return 200 if self.duplicate else 202


class RhoImports:
    """Takes envelopes in."""

    def __init__(self, store: Store, clock: Clock, keep: int) -> None:
        """`keep`: snapshots of a graph that are kept besides those of uploads (M9)."""
        self._store = store
        self._clock = clock
        self._keep = keep

    async def import_envelope(self, viewer: Viewer, envelope: Any, project_id: str | None, deadline: Deadline) -> Imported:
        """Keeps an envelope by the portable profile; one that is there already stays as it is (M6).

        `envelope`: its JSON text as bytes, or a document. Raises: Forbidden, Refused, DeadlineExceeded, StoreUnavailable.
        """
        require_write(viewer)
        project = project_of(project_id)
        apart, valid = await asyncio.to_thread(_checked_text if isinstance(envelope, bytes) else _checked_document, envelope)

        async def once() -> Imported:
            taken = await writing.take_in(self._store, viewer.account, project, apart, self._clock(), deadline)
            return Imported(await self._published(taken, apart, deadline), taken.graph, taken.created, valid)

        return await self._again(once, viewer, apart, deadline)

    async def sync(self, viewer: Viewer, upload: UploadRequest, deadline: Deadline) -> Synced:
        """Keeps an uploaded graph, if its id is new (G50).

        Raises: Forbidden, Refused, SyncIdConflict, DeadlineExceeded, StoreUnavailable.
        """
        require_write(viewer)
        apart, valid = await asyncio.to_thread(_checked_graph, upload)
        noted = Upload(upload.sync_id, upload.project_id, upload.session_id)

        async def once() -> Taken:
            taken = await writing.take_in(self._store, viewer.account, upload.project_id, apart, self._clock(), deadline, noted)
            if taken.accepted or not await self._is_whole(taken, apart, deadline):
                await self._published(taken, apart, deadline)
            return taken

        taken = await self._again(once, viewer, apart, deadline)
        if taken.digest != apart.digest:
            raise SyncIdConflict
        return Synced(not taken.accepted, taken.digest, valid.facts if taken.accepted else 0, taken.snapshot)

    async def _again(self, once: Callable[[], Awaitable[T]], viewer: Viewer, apart: Apart, deadline: Deadline) -> T:
        """What `once` gives, when no such snapshot is being cleared away."""
        while not deadline.expired:
            try:
                return await once()
            except Retired:
                await retention.clear(self._store, snapshot_key(viewer.account, apart.sha256), deadline)
        raise DeadlineExceeded

    async def _published(self, taken: Taken, apart: Apart, deadline: Deadline) -> SnapshotRow:
        """The snapshot as readers see it from now on. Raises: Retired."""
        done = await writing.publish(self._store, taken, apart, deadline)
        await retention.trim(self._store, taken.graph, done.older, self._keep, deadline, spare=taken.snapshot)
        return done.snapshot

    async def _is_whole(self, taken: Taken, apart: Apart, deadline: Deadline) -> bool:
        """Whether nothing is left to do for an upload that was accepted before. (What another text left half done is that one's affair.)"""
        if taken.digest != apart.digest or not taken.snapshot.endswith(apart.sha256):
            return True
        return bool(await reading.snapshots(self._store, [taken.snapshot], deadline))


def _checked_text(text: bytes) -> tuple[Apart, Valid]:
    """A local envelope in pieces. Raises: Refused, above one mebibyte too (M8)."""
    _check_size(text)
    return _checked(read_json(text), Profile.PORTABLE)


def _checked_document(document: Any) -> tuple[Apart, Valid]:
    """The same of one that was read already, as if its own JSON were read."""
    try:
        _check_size(write_fact(document).encode())
        return _checked(document, Profile.PORTABLE)
    except (Refused, ValueError, TypeError):
        return _checked(_as_read(document, MOST_BYTES), Profile.PORTABLE)


def _checked_graph(upload: UploadRequest) -> tuple[Apart, Valid]:
    """An uploaded graph in pieces, as if its own JSON were read. Raises: Refused."""
    try:
        return _checked(upload.graph, Profile.CLOUD, upload.project_id)
    except (Refused, ValueError, TypeError):
        return _checked(_as_read(upload.graph), Profile.CLOUD, upload.project_id)


def _checked(document: Any, profile: Profile, project_id: str | None = None) -> tuple[Apart, Valid]:
    valid = validate(document, profile, project_id=project_id, closed=True)
    return take_apart(document), valid


def _as_read(document: Any, most: int | None = None) -> Any:
    """A document as it is read from its own JSON, which has no key twice: numbers of any size are refused as they would be then.

    What is valid is the same without, so only what is refused comes here. Raises: Refused where it is no JSON: a lone surrogate, a number
    that JSON has not; where it has more than `most` bytes.
    """
    try:
        text = write_json(document).encode()
        _check_size(text, most)
        return orjson.loads(text)
    except (ValueError, TypeError) as error:
        raise Refused("invalid_json", "") from error


def _check_size(text: bytes, most: int | None = MOST_BYTES) -> None:
    if most is not None and len(text) > most:
        raise Refused("body_too_large", "")
