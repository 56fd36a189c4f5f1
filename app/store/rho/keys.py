"""Keys of Rho records: each holds the account that brought it in (Q50). What may be long is hashed."""

from __future__ import annotations

from collections.abc import Callable

from app.store.keys import digest, digests

_LONGEST = 512
"""Characters of a subject's id in a key: an index entry is short."""


def graph_key(account: str, project: str | None, subject_id: str) -> str:
    """The key of a graph: what its snapshots are kept under (M4)."""
    subject = subject_id if len(subject_id) <= _LONGEST else f"hash:{digest(subject_id)}"
    return f"{account}|{project or ''}|{subject}"


def named_key(account: str, subject_kind: str, name: str) -> str:
    """What the graphs about a session or a mission of some name have in common, whatever their projects."""
    return digest(account, subject_kind, name)


def snapshot_key(account: str, body_sha256: str) -> str:
    """The key of a snapshot: its public id."""
    return f"{account} {body_sha256}"


def fact_key(snapshot: str, id: str) -> str:
    """The key of a node or an event, by its snapshot's key and its id."""
    return digest(snapshot, id)


def fact_keys(snapshot: str) -> Callable[[str], str]:
    """What gives `fact_key` for the ids of one snapshot: for many of them."""
    return digests(snapshot)


def project_key(account: str, project: str) -> str:
    """What the uploads of a project have in common. (Neither name has spaces.)"""
    return f"{account} {project}"


def sync_key(account: str, project: str, sync_id: str) -> str:
    """The key of an upload (G51)."""
    return f"{account} {project} {sync_id}"
