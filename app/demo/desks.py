"""Ordinary sessions: desks at which one session follows another, sessions that start sessions, turns and how they end."""

from typing import Any

from app.demo import texts
from app.demo.crew import Floor, Seat, approval, tasks
from app.demo.stage import Scene, at

_PROVIDERS = ("claude-code",) * 6 + ("codex",) * 2 + ("cursor",) * 2


def desk(floor: Floor) -> Scene:
    """One session after another, without end: new ones while nodes may be made, earlier ones resumed otherwise.

    The first session's node must have been allowed for: it is made without asking.
    """
    rng, past = floor.rng, list[Seat]()
    seat = _new_seat(floor)
    while True:
        yield from session(floor, seat)
        past = [*past[-9:], seat] if seat not in past else past
        seat = _new_seat(floor) if floor.take(1) else past[int(rng.random() * len(past))]


def _new_seat(floor: Floor, provider: str | None = None) -> Seat:
    bits = floor.rng.getrandbits
    provider = provider or _PROVIDERS[int(floor.rng.random() * len(_PROVIDERS))]
    project = texts.PROJECTS[int(floor.rng.random() * len(texts.PROJECTS))]
    ref = f"{provider}:{bits(32):08x}-{bits(16):04x}-4{bits(12):03x}-a{bits(12):03x}-{bits(48):012x}"
    return Seat(ref, project, f"host-{bits(16):04x}:{bits(32)}")


def session(floor: Floor, seat: Seat) -> Scene:
    """One run of a session, from its start to its end, or until it falls silent."""
    rng = floor.rng
    seat.alive = True
    seat.agents.clear()
    seat.process = f"{seat.process.partition(':')[0]}:{rng.getrandbits(32)}"
    start = {"cwd": f"/home/dev/{seat.project}", "source": "resume" if seat.serial else "startup", "process": seat.process}
    yield 2_000 + int(rng.random() * 20_000), "session.started", seat.ref, start, None
    yield from turns(floor, seat)


def turns(floor: Floor, seat: Seat) -> Scene:
    """The turns of a session that has started, and its end."""
    rng = floor.rng
    floor.working.append(seat)
    for _ in range(1 + int(rng.random() * 4)):
        yield from _turn(floor, seat)
    floor.working.remove(seat)
    seat.alive = False
    fate = rng.random()
    if fate < 0.02:
        return
    if fate < 0.06:
        yield at(1_000, "status", seat.ref, state="failed", summary="The provider refused the request")
    yield at(2_500 + int(rng.random() * 20_000), "session.ended", seat.ref, reason="prompt_input_exit")
    if fate > 0.97:
        yield at(700, "status", seat.ref, state="idle", summary=texts.finding(rng))


def _turn(floor: Floor, seat: Seat) -> Scene:
    """One turn: it sets to work, plans or not, works through tasks, perhaps with a session of its own, and stops."""
    rng, ref = floor.rng, seat.ref
    if rng.random() < 0.5:
        yield at(1_000, "status", ref, state="working", title=texts.task(rng)[0])
    else:
        yield at(1_000, "status", ref, state="working")
    if rng.random() < 0.08:
        yield at(2_000, "activity", ref, tool="Plan mode")
        yield at(20_000, "status", ref, state="idle")
        yield at(15_000, "status", ref, state="working", summary="Plan approved")
    yield from tasks(floor, seat, ref, 0, 4)
    if rng.random() < 0.15 and floor.take(2, spare=2):
        yield from _started_session(floor, seat)
    fate = rng.random()
    if fate < 0.75:
        yield at(1_500, "status", ref, state="idle", summary=texts.finding(rng))
    elif fate < 0.88:
        question = texts.QUESTIONS[int(rng.random() * len(texts.QUESTIONS))]
        yield at(1_500, "status", ref, state="input_required", turn_end=True, summary=question)
        yield at(600, "status", ref, state="idle", summary=texts.finding(rng))
    elif fate < 0.94:
        yield at(1_000, "activity", ref, tool="Turn stopped")
        yield at(200, "status", ref, state="idle")
    else:
        yield from approval(floor, ref, 1_000)
        yield at(900, "status", ref, state="idle", turn_end=True)
    yield at(3_000 + int(rng.random() * 40_000), "activity", ref, tool="Read", label=f"{seat.project}/README.md")


def _started_session(floor: Floor, seat: Seat) -> Scene:
    """A session started by this one: waited for or left alone, by environment, by process, by title or through a run wrapper."""
    rng, ref, call = floor.rng, seat.ref, seat.call()
    child = _new_seat(floor, "codex" if rng.random() < 0.6 else "cursor")
    program = "codex" if child.ref.startswith("codex") else "cursor-agent"
    purpose, _ = texts.task(rng)
    way = rng.random()
    parent: str | None = ref
    start: dict[str, Any] = {"cwd": f"/home/dev/{seat.project}", "source": "startup"}
    request: dict[str, Any] = {"call_id": call, "kind": "session", "purpose": purpose, "background": way >= 0.4}
    if way < 0.25:
        request |= {"agent_type": program, "run": False}
    elif way < 0.4:
        wrapper = f"run:{rng.getrandbits(48):012x}"
        request |= {"agent_type": program, "run": True}
        yield 900, "spawn.requested", ref, request, None
        yield at(500, "session.started", wrapper, ref, title=program, link_method="env")
        parent, start = wrapper, {**start, "link_method": "run"}
    elif way < 0.7:
        request |= {"agent_type": program, "run": False}
        parent, start = None, {**start, "process": child.process, "ancestors": ["shell:1", seat.process]}
    else:
        title = f"{purpose} ({child.ref[-6:]})"
        request["title"] = start["title"] = title
        parent = None
    if not 0.25 <= way < 0.4:
        yield 900, "spawn.requested", ref, request, None
        floor.room += 1
    if way >= 0.4:
        yield at(400, "spawn.returned", ref, call_id=call, outcome="async_launched")
    yield 800, "session.started", child.ref, start, parent
    if way >= 0.4:
        floor.schedule.start(turns(floor, child))
        return
    yield from turns(floor, child)
    yield at(300, "spawn.returned", ref, call_id=call, child=child.ref)
    if parent != ref:
        yield at(2_600, "session.ended", parent or ref, reason="exit")
