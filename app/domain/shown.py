"""What the clock decides about a node, worked out when it is shown: probably asking (E113), stale (E115)."""

from __future__ import annotations

from app.domain.times import NS_PER_S

ASKING = "input_required"
ASKING_ATTENTION = "May be waiting for your approval to run a command"
ASKING_AFTER_NS = 10 * NS_PER_S


def is_probably_asking(asking_ns: int | None, time_ns: int) -> bool:
    """Whether a working node with an open approval since `asking_ns` is shown as asking at `time_ns`, Unix ns both (E113).

    Such a node is shown in state `ASKING` with attention `ASKING_ATTENTION`; it is then not stale (E114).
    """
    return asking_ns is not None and time_ns - asking_ns >= ASKING_AFTER_NS


def is_stale(state: str, waits: bool, active_ns: int | None, time_ns: int, stale_after_ns: int) -> bool:
    """Whether a node has been silent for too long (E115, R28): strictly longer than `stale_after_ns`.

    `state` is the shown one; `waits`: it has a wait that counts; `active_ns`: its last event's time in Unix ns, None if unreadable.
    """
    return state == "working" and not waits and active_ns is not None and time_ns - active_ns > stale_after_ns
