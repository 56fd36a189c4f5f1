"""How often Python looks for circular garbage: rarely enough that no request waits for it."""

from __future__ import annotations

import gc

_YOUNG, _MIDDLE, _OLD = 5_000, 5, 1_000


def settle_garbage() -> None:
    """To be called once by a serving process, after it has started.

    A projector of 25,000 nodes is some 750,000 objects, which a full collection looks through in about 0.3 s: longer than the event loop
    may be held. What is there from the start is left out of every collection; young garbage is collected in small helpings, old garbage
    only after some 25 million further objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
