"""Interval slots: the states alive at any old place are a few dozen equality look-ups away, however long history is.

A half-open span [since, until) of places hangs at its *fork*: its point with the most trailing zero bits, in a virtual binary tree over
all places. A slot is the fork together with, as a power of two, how far the span reaches to one side of it. Whatever span holds a place
`seq` has one of about 2 * log2(highest place) slots, which `probes` lists.
"""

from __future__ import annotations

OPEN = 2**53 - 1
"""The `until` of an edge that has not ended."""

BUCKET_BITS = 16
"""Events are paged by bucket: `seq >> BUCKET_BITS`."""

STEP = 1_024
"""The distance between the places of two events taken in one after the other; late events share the gap."""

BASE = 1
"""The place of a state that a graph starts from (a keyframe); the first event is at STEP."""


def fork(since: int, until: int) -> int:
    """The point of [since, until) with the most trailing zeros; 1 <= since < until."""
    last = until - 1
    return last & ~((1 << (((since - 1) ^ last).bit_length() - 1)) - 1)


def slots(since: int, until: int) -> tuple[int, int]:
    """The two slots of [since, until): how far it reaches to the right of its fork, and to the left."""
    at = fork(since, until)
    return at * 64 + (until - 1 - at).bit_length(), at * 64 + (at - since).bit_length()


def probes(seq: int, highest: int) -> tuple[list[int], list[int]]:
    """Every slot (right, left) of a span that holds `seq`, where no `until` lies above `highest`.

    Spans found by a right slot still need `until > seq`, those found by a left one `since <= seq`.
    """
    right: list[int] = []
    left: list[int] = []
    for level in range(highest.bit_length() + 1):
        at = ((seq >> level) | 1) << level
        if at <= seq:
            right += [at * 64 + reach for reach in range((seq - at).bit_length(), level + 1)]
        elif at <= highest:
            left += [at * 64 + reach for reach in range((at - seq).bit_length(), level + 1)]
    return right, left
