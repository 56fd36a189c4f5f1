"""Scenes written for the odd rules of the event log (E17–E108), by theme, and the list of all of them."""

from collections.abc import Callable

from app.demo.scenes import agents, binding, ends, marks, messages, pairing, parents, sessions, statuses, tasks, waits
from app.demo.stage import Cast, Scene

RULE_SCENES: tuple[Callable[[Cast], Scene], ...] = (
    pairing.background_requests,  # the longest goes first
    *parents.SCENES,
    *sessions.SCENES,
    *pairing.SCENES,
    *ends.SCENES,
    *agents.SCENES,
    *binding.SCENES,
    *statuses.SCENES,
    *marks.SCENES,
    *tasks.SCENES,
    *waits.SCENES,
    *messages.SCENES,
)
