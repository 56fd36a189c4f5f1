"""Which request started a session: E43-E51."""

from __future__ import annotations

from tests.oracle.binding import bind, requests_of
from tests.oracle.times import SECOND, readable, time_of
from tests.oracle.world import Cause, Node, Request, Unpaired, World, is_agent, session_part

PROGRAMS = ("claude", "codex", "gemini", "cursor-agent", "copilot", "opencode", "amp", "aider", "goose", "qwen")
PROGRAM_OF = {"claude-code": "claude", "codex": "codex", "cursor": "cursor-agent"}


def runs(session: Node, program: str | None) -> bool:
    """E45: whether the session runs that program."""
    return program is not None and (
        session.provider == program
        or session.provider.startswith(program + "-")
        or PROGRAM_OF.get(session.provider) == program
        or (session.provider == "run" and session.title == program)
    )


def ruled_out(session: Node, request: Request) -> bool:
    """E45: whether the request names another agent's program."""
    own = PROGRAM_OF.get(session.provider)
    return own is not None and request.agent_type in PROGRAMS and request.agent_type != own


def agrees_on_run(session: Node, request: Request) -> bool:
    """E46."""
    if request.run is True:
        return session.provider == "run"
    if request.run is False or session.provider != "run":
        return session.provider != "run"
    return runs(session, request.agent_type)


def _soon_enough(request: Request, start: str) -> bool:
    """E44: still going, or a background request of at most ten minutes before."""
    if not request.background:
        return not request.returned
    requested, started = readable(request.requested), readable(start)
    return requested is not None and started is not None and 0 <= started - requested <= 600 * SECOND


def pair(world: World, session: Node, start: str, cause: Cause) -> None:
    """E43-E48: binds the session to the request it most likely answers, with `start` (a ts) as its start."""
    assert session.parent is not None
    untaken = [
        (maker, request)
        for maker, request in requests_of(world, session_part(session.parent))
        if request.kind == "session" and request.child is None
    ]
    free = [(maker, request) for maker, request in untaken if request.title is None]
    world.met(43, bool(free))
    world.met(51, len(free) < len(untaken))
    candidates = []
    for maker, request in free:
        in_time = request.requested <= start and _soon_enough(request, start)
        world.met(44, not in_time)
        world.met(45, ruled_out(session, request) or runs(session, request.agent_type))
        world.met(46, not agrees_on_run(session, request))
        if in_time and not ruled_out(session, request) and agrees_on_run(session, request):
            candidates.append((maker, request))

    def turn(candidate: tuple[Node, Request]) -> tuple[bool, str, str, str]:
        maker, request = candidate
        old = request.background and time_of(start) - time_of(request.requested) > 60 * SECOND
        return old, request.requested, maker.ref, request.call_id

    candidates.sort(key=turn)
    named = [candidate for candidate in candidates if runs(session, candidate[1].agent_type)]
    world.met(47, len(candidates) > 1)
    for maker, request in (named or candidates)[:1]:
        world.met(48, not bind(world, maker.ref, request.call_id, session.ref, cause))


def remember_unpaired(world: World, session: Node, ts: str) -> None:
    """E49: a start that found no request yet; a start at another time replaces the list."""
    if world.unpaired is None or world.unpaired.time != time_of(ts):
        world.unpaired = Unpaired(time_of(ts), ts, [])
    if session.ref not in world.unpaired.refs:
        world.unpaired.refs.append(session.ref)


def pair_unpaired(world: World, requester: Node, ts: str, cause: Cause) -> None:
    """E49: a request of the same moment is offered to the starts that found none."""
    unpaired = world.unpaired
    if unpaired is None or unpaired.time != time_of(ts):
        return
    for ref in unpaired.refs:
        session = world.nodes[ref]
        if not session.bound and session.parent is not None and session_part(session.parent) == session_part(requester.ref):
            pair(world, session, unpaired.ts, cause)
            world.met(49, session.bound)
    unpaired.refs = [ref for ref in unpaired.refs if not world.nodes[ref].bound]


def pair_suggested(world: World, session: Node, cause: Cause) -> None:
    """E50: a session named as a suggested one is bound to that suggestion."""
    if is_agent(session.ref) or session.parent is not None or session.bound:
        return
    candidates = [
        (time_of(request.requested), maker.ref, request.call_id)
        for maker in world.nodes.values()
        for request in maker.spawns
        if request.title is not None
        and request.title == session.title
        and request.child is None
        and request.requested <= (session.created or "")
        and session_part(maker.ref) != session.ref
    ]
    if not candidates:
        return
    _, requester, call_id = min(candidates)
    if bind(world, requester, call_id, session.ref, cause):
        session.link_method = "suggested"
        world.met(50)
