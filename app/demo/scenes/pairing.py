"""A session and the request that started it: programs, wrappers, times, suggested sessions."""

from app.demo.scenes.bounds import LATE_OVER, closed, opened
from app.demo.stage import Cast, Scene, at


def programs(cast: Cast) -> Scene:
    """E43–E47, E86, E89: which of several requests a started session answers, by the program it names."""
    a, b = cast.session("claude-code", "workshop"), cast.session("claude-code", "workshop")
    yield from opened(cast, a)
    yield from opened(cast, b)
    yield at(100, "spawn.requested", a, call_id="call_0", kind="session", purpose="Any helper", run=False)
    yield at(100, "spawn.requested", b, call_id="call_1", kind="session", agent_type="codex", run=False)
    yield at(100, "spawn.requested", a, call_id="call_1", kind="session", agent_type="codex", purpose="File the teeth", run=False)
    yield at(100, "spawn.requested", f"{a}/clerk", call_id="call_1", kind="session", agent_type="claude", run=False)
    yield at(100, "spawn.requested", a, call_id="call_2", kind="session", agent_type="ninja", purpose="Run the ninja", run=False)
    yield at(100, "spawn.requested", a, call_id="call_3", kind="session", agent_type="codex", background=True, run=False)
    children = [cast.session(p, "bench") for p in ("codex", "cursor", "claude-code", "gemini", "codex-cloud", "cursor")]
    for child in children:
        yield at(700, "session.started", child, a, source="startup")
    yield from closed(*children)
    for call in range(4):
        yield at(200, "spawn.returned", a, call_id=f"call_{call}")
    yield at(300, "agent.finished", f"{a}/clerk", background=False)
    yield from closed(a, b)


def wrappers(cast: Cast) -> Scene:
    """E45, E46: requests that say whether a run wrapper starts the session, and old ones that do not say."""
    a = cast.session("claude-code", "cooper")
    yield from opened(cast, a)
    yield at(200, "spawn.requested", a, call_id="toolu_hoop", kind="session", agent_type="codex", run=True)
    yield at(200, "spawn.requested", a, call_id="toolu_stave", kind="session", agent_type="codex", run=False)
    yield at(200, "spawn.requested", a, call_id="toolu_old", kind="session", agent_type="aider")
    codex, run, aider, make = (cast.session(p, "barrel") for p in ("codex", "run", "run", "run"))
    yield at(500, "session.started", codex, a, source="startup")
    yield at(500, "session.started", run, a, title="codex", link_method="env")
    yield at(500, "session.started", make, a, title="make", link_method="env")
    yield at(500, "session.started", aider, a, title="aider", link_method="env")
    yield from closed(codex, run, aider, make)
    for call in ("toolu_hoop", "toolu_stave", "toolu_old"):
        yield at(200, "spawn.returned", a, call_id=call)
    yield from closed(a)


def background_requests(cast: Cast) -> Scene:
    """E44, E47, E92: how long a background request waits for its session, and what goes before it."""
    a = cast.session("claude-code", "kiln")
    late, second, third, early = (cast.session("codex", "tile") for _ in range(4))
    yield from opened(cast, a)
    yield at(300, "session.started", early, a, source="startup")
    yield at(500, "spawn.requested", a, call_id="toolu_glaze", kind="session", agent_type="codex", background=True)
    yield at(600, "spawn.returned", a, call_id="toolu_glaze", outcome="async_launched")
    yield at(100, "spawn.requested", a, call_id="toolu_slip", kind="session", agent_type="codex")
    yield at(300, "spawn.returned", a, call_id="toolu_slip", outcome="error")
    yield at(90_000, "spawn.requested", a, call_id="toolu_fire", kind="session", agent_type="codex")
    yield at(800, "session.started", second, a, source="startup")
    yield at(900, "session.started", third, a, source="startup")
    yield at(900, "spawn.requested", a, call_id="toolu_cool", kind="session", agent_type="codex", background=True)
    yield at(LATE_OVER, "spawn.returned", a, call_id="toolu_fire", child=second)
    yield at(605_000, "session.started", late, a, source="startup")
    yield from closed(late, third, second, early, a)


def refused_pair(cast: Cast) -> Scene:
    """E48, E89: a session is not bound to a request made below itself, and no other is tried."""
    a, b = cast.session("claude-code", "loom"), cast.session("claude-code", "shuttle")
    yield at(0, "session.started", a, source="startup")
    yield at(500, "agent.spawned", f"{a}/weft", b, agent_type="Explore")
    yield at(500, "spawn.requested", f"{a}/weft", call_id="toolu_warp", kind="session", background=True)
    yield at(500, "spawn.requested", a, call_id="toolu_warp", kind="session", background=True)
    yield at(900, "session.started", b, a, source="startup")
    yield at(900, "agent.finished", f"{a}/weft", background=False)
    yield from closed(b, a)


def same_moment(cast: Cast) -> Scene:
    """E49: sessions whose start sorts before the request of the very same millisecond."""
    a, first, second = (cast.session(p, "spark") for p in ("claude-code", "codex", "cursor"))
    yield from opened(cast, a)
    yield at(900, "session.started", first, a, source="startup")
    yield at(0, "session.started", second, a, source="startup")
    yield at(0, "spawn.requested", a, call_id="toolu_tinder", kind="session", agent_type="cursor-agent", background=True)
    yield at(0, "spawn.requested", a, call_id="toolu_flint", kind="session", agent_type="codex", background=True)
    yield from closed(first, second, a)


def suggested(cast: Cast) -> Scene:
    """E30, E50, E51, E80: sessions that were suggested by title; titles are never guessed, but may be named."""
    a, b = cast.session("claude-code", "almanac"), cast.session("codex", "almanac")
    early, later, last = (cast.session(*name) for name in (("claude-code", "solstice"), ("cursor", "equinox"), ("claude-code", "zenith")))
    title, own = cast.word("Check the tide tables"), cast.word("Check the moon tables")
    yield at(0, "session.started", early, source="startup")
    yield from opened(cast, a)
    yield from opened(cast, b)
    yield at(300, "spawn.requested", b, call_id="toolu_tide", kind="session", title=title, purpose="Second to ask", background=True)
    yield at(100, "spawn.requested", f"{b}/clerk", call_id="toolu_own", kind="agent", title=own, background=True)
    yield at(100, "spawn.requested", a, call_id="toolu_tide", kind="agent", title=title, background=True)
    yield at(400, "agent.spawned", f"{a}/unasked", a, agent_type="Explore")
    yield at(400, "status", b, state="working", title=own)
    yield at(400, "status", early, state="working", title=title)
    yield at(620_000, "session.started", later, source="startup")
    yield at(900, "status", later, state="working", title=title)
    yield at(900, "status", later, state="idle", title=title, summary="Tables agree")
    yield at(300, "session.started", last, source="startup", title=title)
    yield at(200, "spawn.requested", a, call_id="toolu_named", kind="agent", title=cast.word("Name the stars"), background=True)
    yield at(300, "agent.spawned", f"{a}/namer", a, call_id="toolu_named", agent_type="writer")
    yield at(200, "spawn.requested", a, call_id="toolu_held", kind="session", title=cast.word("Hold the lamp"))
    yield at(900, "status", a, state="idle")
    yield at(900, "spawn.returned", a, call_id="toolu_held", child=f"{a}/lamp")
    yield at(500, "agent.finished", f"{b}/clerk", background=False)
    yield from closed(early, later, last, b, a)


SCENES = (programs, wrappers, refused_pair, same_moment, suggested)
