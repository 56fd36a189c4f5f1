"""How sessions start, restart and are linked to the sessions that started them."""

from app.demo.scenes.bounds import LATE_OVER, closed, opened
from app.demo.stage import Cast, Scene, at


def restarts(cast: Cast) -> Scene:
    """E24, E35, E36, E39: first start, restarts in the same run, new runs by process and after the end."""
    s, first, second = cast.session("claude-code", "kettle"), cast.process(), cast.process()
    yield from opened(cast, s, title=cast.word("Descale the kettle"), process=first)
    yield at(4_000, "session.started", s, source="compact", process=first)
    yield at(900, "session.started", s, source="compact", cwd="/home/dev/kettle/lid")
    yield at(5_000, "session.started", s, source="resume", process=second, title=cast.word("Descale it again"))
    yield at(800, "status", s, state="working")
    yield from closed(s)
    yield at(9_000, "session.started", s, source="resume", process=second)
    yield at(700, "status", s, state="working")
    yield at(3_000, "status", s, state="failed", summary="The build host went away")
    yield at(6_000, "session.started", s, source="resume")
    yield from closed(s)


def links_by_parent(cast: Cast) -> Scene:
    """E25, E37, E42: links handed down in the environment or by a run wrapper; a refused one; a start about an agent."""
    a, wrapper = cast.session("claude-code", "orchard"), cast.session("run", "press")
    child, wrapped = cast.session("codex", "sapling"), cast.session("claude-code", "cider")
    yield from opened(cast, a)
    yield at(600, "session.started", child, a, cwd="/home/dev/orchard", source="startup")
    yield at(500, "session.started", wrapper, a, link_method="env", title="make")
    yield at(500, "session.started", wrapped, wrapper, cwd="/home/dev/orchard", link_method="run")
    yield at(500, "session.started", a, f"{a}/picker", source="compact", link_method="env")
    yield at(500, "session.started", f"{a}/picker", cwd="/home/dev/orchard/east", title="Pick the east rows")
    yield at(900, "agent.finished", f"{a}/picker", summary="Rows picked")
    yield from closed(wrapped, wrapper, child, a)


def links_by_process(cast: Cast) -> Scene:
    """E38, E39: the nearest remembered ancestor process links; oneself or one's own child does not; processes move on."""
    a, b, c, d = (cast.session(p, "ladder") for p in ("claude-code", "codex", "cursor", "codex"))
    first, second, third, shell = cast.process(), cast.process(), cast.process(), cast.process()
    yield from opened(cast, a, process=first)
    yield at(600, "session.started", b, process=second, ancestors=[shell, first], source="startup")
    yield at(900, "session.started", a, process=first, ancestors=[first], source="compact")
    yield at(900, "session.started", a, process=first, ancestors=[second, shell], source="compact")
    yield at(900, "session.started", c, process=third, ancestors=[second, first], source="startup")
    yield at(900, "session.started", c, process=third, ancestors=[first], source="compact")
    yield at(900, "session.started", d, ancestors=[shell], source="startup")
    yield from closed(c, a)
    moved, late = cast.session("claude-code", "rung"), cast.session("codex", "rung")
    yield at(800, "session.started", moved, process=first, source="clear")
    yield at(800, "session.started", late, process=third, ancestors=[first], source="startup")
    yield from closed(late, moved, d, b)


def second_run_of_a_child(cast: Cast) -> Scene:
    """E25, E40, E41, E93, E95: a new run that is linked is paired anew, one that is not keeps its binding."""
    a, b, child = cast.session("claude-code", "relay"), cast.session("claude-code", "relay"), cast.session("codex", "baton")
    yield from opened(cast, a)
    yield from opened(cast, b)
    yield at(300, "spawn.requested", a, call_id="toolu_leg1", kind="session", agent_type="codex", purpose="Run the first leg", run=False)
    yield at(700, "session.started", child, a, source="startup")
    yield at(900, "session.started", child, b, source="compact")
    yield at(LATE_OVER, "session.ended", child, reason="exit")
    yield at(300, "spawn.returned", a, call_id="toolu_leg1")
    yield at(4_000, "session.started", child, source="resume")
    yield at(LATE_OVER, "session.ended", child, reason="exit")
    yield at(500, "spawn.requested", b, call_id="toolu_leg1", kind="session", agent_type="codex", purpose="Run the second leg", run=False)
    yield at(600, "session.started", child, b, source="resume", link_method="env")
    yield at(900, "status", child, state="working")
    yield at(LATE_OVER, "session.ended", child, reason="exit")
    yield at(200, "spawn.returned", b, call_id="toolu_leg1", child=child)
    yield from closed(b, a)


def restart_is_not_paired(cast: Cast) -> Scene:
    """E41: only a first start or a linked new run looks for a request."""
    a, child = cast.session("claude-code", "dovecote"), cast.session("codex", "dove")
    yield from opened(cast, a)
    yield at(500, "session.started", child, a, source="startup")
    yield at(900, "spawn.requested", a, call_id="toolu_dove", kind="session", agent_type="codex", background=True)
    yield at(900, "session.started", child, a, source="compact")
    yield at(900, "spawn.returned", a, call_id="toolu_dove", outcome="async_launched")
    yield from closed(child, a)


SCENES = (restarts, links_by_parent, links_by_process, second_run_of_a_child, restart_is_not_paired)
