"""Beginnings and ends that many scenes share."""

from app.demo import texts
from app.demo.stage import Cast, Scene, at

LATE_OVER = 2_500
"""Ms after a session's end when nothing about it can be late any more (E70)."""


def opened(cast: Cast, session: str, **data: str) -> Scene:
    """A session starts and sets to work."""
    project = texts.PROJECTS[cast.rng.randrange(len(texts.PROJECTS))]
    yield at(0, "session.started", session, cwd=f"/home/dev/{project}", source="startup", **data)
    yield at(700, "status", session, state="working")


def closed(*sessions: str) -> Scene:
    """Sessions end, one after another, well after what came before."""
    for session in sessions:
        yield at(LATE_OVER, "session.ended", session, reason="prompt_input_exit")
