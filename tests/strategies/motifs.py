"""Motifs: short runs of events that belong together, for rules that events drawn one by one seldom meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.strategies import vocabulary as words
from tests.strategies.drafts import Draft, draw_draft
from tests.strategies.vocabulary import MILLISECOND, Cast, Choices, chance, maybe

FRESH_NAMES = ("elm", "fir", "ash", "yew")
CLOSE = tuple(milliseconds * MILLISECOND for milliseconds in (0, 1, 500, 1_999, 2_000, 2_001))
LATER = tuple(milliseconds * MILLISECOND for milliseconds in (0, 1, 500, 60_000, 60_001, 600_000, 600_001))


def _draft(kind: str, node: str, step: int, data: dict[str, Any] | None = None, parent: str | None = None) -> Draft:
    known = {name: value for name, value in (data or {}).items() if value is not None}
    source = {"provider": node.split(":", 1)[0], "adapter": "test@1"}
    return Draft(kind, node, parent, known, True, source, step, "milliseconds", True)


def _new_session(choices: Choices) -> str:
    return f"{choices.pick(words.PROVIDERS)}:{choices.pick(FRESH_NAMES)}"


def _request(choices: Choices, node: str, step: int, **data: Any) -> Draft:
    drawn = {
        "call_id": choices.pick(words.CALLS),
        "agent_type": maybe(choices, words.TYPES),
        "purpose": maybe(choices, words.PURPOSES),
        "background": chance(choices, 50),
        "run": maybe(choices, (True, False), 25),
        **data,
    }
    return _draft("spawn.requested", node, step, drawn)


def _home(choices: Choices, cast: Cast) -> tuple[str, list[str]]:
    """A session, and the refs of its own that may make requests."""
    session = choices.pick(cast.sessions)
    return session, [session, *(agent for agent in cast.agents if agent.startswith(session + "/"))]


def _start(choices: Choices, node: str, step: int, parent: str | None = None, **data: Any) -> Draft:
    drawn = {"title": maybe(choices, words.TITLES, 30), "process": maybe(choices, words.PROCESSES, 40), **data}
    return _draft("session.started", node, step, drawn, parent)


def requests_then_a_session(choices: Choices, cast: Cast) -> list[Draft]:
    """E43-E48."""
    _, makers = _home(choices, cast)
    asked = [_request(choices, choices.pick(makers), choices.pick(LATER), kind="session") for _ in range(choices.pick((1, 2, 2, 3)))]
    return [*asked, _start(choices, _new_session(choices), choices.pick(LATER), choices.pick(makers))]


def a_request_of_the_same_moment(choices: Choices, cast: Cast) -> list[Draft]:
    """E49."""
    home, makers = _home(choices, cast)
    starts = [_start(choices, _new_session(choices), 0, home) for _ in range(choices.pick((1, 1, 2)))]
    return [*starts, _request(choices, choices.pick(makers), choices.pick((0, 0, 0, MILLISECOND)), kind="session")]


def a_session_by_name(choices: Choices, cast: Cast) -> list[Draft]:
    """E50, E51."""
    title, session = choices.pick(words.TITLES), _new_session(choices)
    _, makers = _home(choices, cast)
    kind = choices.pick(("agent", "session"))
    asked = [_request(choices, choices.pick(makers), choices.pick(CLOSE), kind=kind, title=title) for _ in range(choices.pick((1, 2)))]
    if chance(choices, 50):
        return [*asked, _start(choices, session, choices.pick(LATER), title=title)]
    named = _draft("status", session, choices.pick(CLOSE), {"state": "working", "title": title})
    return [*asked, _start(choices, session, choices.pick(CLOSE), title=None), named]


def a_request_from_below(choices: Choices, cast: Cast) -> list[Draft]:
    """E48: the session's own request, made by an agent that is now beneath it, is chosen and refused."""
    home, session, step = choices.pick(cast.sessions), _new_session(choices), choices.pick(CLOSE)
    agent = f"{home}/{choices.pick(words.AGENT_NAMES)}"
    moved = _draft("activity", agent, step, {"tool": "Bash"}, parent=session)
    return [moved, _request(choices, agent, choices.pick(CLOSE), kind="session"), _start(choices, session, choices.pick(CLOSE), home)]


def a_run_after_another(choices: Choices, cast: Cast) -> list[Draft]:
    """E24, E36, E40, E95."""
    home, makers = _home(choices, cast)
    session = _new_session(choices)
    end: tuple[str, dict[str, Any]] = ("session.ended", {}) if chance(choices, 70) else ("status", {"state": "failed"})
    runs = [
        [_request(choices, choices.pick(makers), choices.pick(CLOSE), kind="session"), _start(choices, session, choices.pick(CLOSE), home)]
        for _ in range(2)
    ]
    return [*runs[0], _draft(end[0], session, choices.pick(CLOSE), end[1]), *runs[1]]


def a_guess_and_its_correction(choices: Choices, cast: Cast) -> list[Draft]:
    """E60, E61, E88-E91."""
    home, makers = _home(choices, cast)
    children = [f"{home}/{choices.pick(words.AGENT_NAMES)}" for _ in range(2)]
    maker, call = choices.pick(makers), choices.pick(words.CALLS)
    details = {"agent_type": maybe(choices, words.TYPES)}
    return [
        _request(choices, maker, choices.pick(CLOSE), call_id=call),
        _request(choices, choices.pick(makers), choices.pick(CLOSE)),
        *(_draft("agent.spawned", child, choices.pick(CLOSE), details) for child in children),
        _draft("spawn.returned", maker, choices.pick(CLOSE), {"call_id": call, "child": choices.pick(children)}),
    ]


def a_turn_and_its_end(choices: Choices, cast: Cast) -> list[Draft]:
    """E67, E73-E75, E77, E78."""
    node = cast.any_ref(choices)
    openings: tuple[tuple[str, dict[str, Any]], ...] = (
        ("activity", {"tool": "Plan mode"}),
        ("status", {"state": "input_required", "summary": "Which berth?", "turn_end": True}),
        ("spawn.requested", {"call_id": choices.pick(words.CALLS)}),
        ("activity", {"tool": "Bash", "may_ask": True}),
    )
    opening = choices.pick(openings)
    closing = choices.pick(("idle", "idle", "idle", "completed", "canceled", "working"))
    between = [_draft("task.upserted", node, choices.pick(CLOSE), {"id": "1"})] if chance(choices, 20) else []
    if chance(choices, 30):
        between.append(_draft("activity", node, choices.pick(CLOSE), {"tool": "Turn stopped"}))
    step = choices.pick((*CLOSE, *(milliseconds * MILLISECOND for milliseconds in (9_999, 10_000, 1_860_000))))
    return [_draft(opening[0], node, choices.pick(CLOSE), opening[1]), *between, _draft("status", node, step, {"state": closing})]


def an_end_and_what_comes_late(choices: Choices, cast: Cast) -> list[Draft]:
    """E53, E70-E72."""
    session, makers = _home(choices, cast)
    started = [_start(choices, session, choices.pick(CLOSE))] if chance(choices, 50) else []
    state = choices.pick(("idle", "working", "input_required", "completed"))
    late = _draft("status", choices.pick(makers), choices.pick(CLOSE), {"state": state, "title": maybe(choices, words.TITLES, 30)})
    return [*started, _draft("session.ended", session, choices.pick(CLOSE)), late]


def waiting_on_each_other(choices: Choices, cast: Cast) -> list[Draft]:
    """E96-E101, E116-E119."""
    ring = [cast.any_ref(choices) for _ in range(choices.pick((1, 2, 3)))]
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    waits = [_draft("wait.started", one, 0, {"wait_id": choices.pick(words.WAITS), "on": other}) for one, other in pairs]
    return [*waits, _draft("wait.ended", ring[0], choices.pick(CLOSE), {"wait_id": choices.pick(words.WAITS)})]


MOTIFS: tuple[Callable[[Choices, Cast], list[Draft]], ...] = (
    *(requests_then_a_session, a_request_of_the_same_moment, a_session_by_name, a_request_from_below, a_run_after_another),
    *(a_guess_and_its_correction, a_turn_and_its_end, an_end_and_what_comes_late, waiting_on_each_other),
)


def draw_some(choices: Choices, cast: Cast) -> list[Draft]:
    """One event on its own, or now and then a motif."""
    return choices.pick(MOTIFS)(choices, cast) if chance(choices, 12) else [draw_draft(choices, cast)]
