"""Ordinary work: what sessions and agents do while they are at it, agents that start agents included."""

from dataclasses import dataclass, field
from random import Random

from app.demo import texts
from app.demo.stage import Scene, Schedule, at, together

_DEEPEST = 3
"""Levels of agents below a session."""


class Floor:
    """What all ordinary scenes share: chance, the schedule, who is at work, and how many nodes may still be made."""

    def __init__(self, rng: Random, schedule: Schedule, nodes: int) -> None:
        self.rng = rng
        self.schedule = schedule
        self.room = nodes
        """Nodes that may be made now; the fleet raises it as the log grows."""
        self.working: list[Seat] = []

    def take(self, count: int, spare: int = 0) -> bool:
        """Whether `count` nodes may be made, leaving `spare`; takes them if so."""
        if self.room < count + spare:
            return False
        self.room -= count
        return True

    def someone_else(self, seat: "Seat") -> "Seat | None":
        """Some other session at work."""
        other = self.working[int(self.rng.random() * len(self.working))] if self.working else None
        return other if other is not seat else None


@dataclass(eq=False)
class Seat:
    """One session of the ordinary fleet."""

    ref: str
    project: str
    process: str
    alive: bool = True
    calls: int = 0
    serial: int = 0
    agents: dict[str, None] = field(default_factory=dict)
    """Names of agents at work, the latest last."""

    def call(self) -> str:
        """A call id, unique in this session only."""
        self.calls += 1
        return f"call_{self.calls}"

    def name(self, stem: str) -> str:
        """An id that no other wait, message or agent of this session has."""
        self.serial += 1
        return f"{stem}{self.serial}"


def work(floor: Floor, seat: Seat, ref: str, depth: int, rounds: int) -> Scene:
    """`rounds` pieces of work of the node `ref`, which stands `depth` levels below its session."""
    rng = floor.rng
    for _ in range(rounds):
        chance = rng.random()
        pause = 300 + int(rng.random() * 9_000)
        if chance < 0.62:
            tool, label = texts.tool(rng)
            yield pause, "activity", ref, {"tool": tool, "label": label}, None
        elif chance < 0.70:
            yield from approval(floor, ref, pause)
        elif chance < 0.82:
            yield from _agents(floor, seat, ref, depth, pause)
        elif chance < 0.88:
            yield pause, "status", ref, {"state": "working", "summary": texts.finding(rng)}, None
        elif chance < 0.94:
            yield from _message(floor, seat, ref, pause)
        elif chance < 0.97:
            yield from _wait(floor, seat, ref, pause)
        elif chance < 0.985:
            yield pause, "unknown", ref, {"hook_event_name": "PreCompact"}, None
        else:
            yield pause, "agent.finished", f"{ref}/{seat.name('memory-')}", {"summary": "Notes kept"}, None


def approval(floor: Floor, ref: str, pause: int) -> Scene:
    """Asks leave to run a command and, most times, gets it."""
    command = texts.COMMANDS[int(floor.rng.random() * len(texts.COMMANDS))]
    yield pause, "activity", ref, {"tool": "Bash", "label": command, "may_ask": True}, None
    yield 1_000 + int(floor.rng.random() * 30_000), "activity", ref, {"tool": "Bash", "label": command}, None


def tasks(floor: Floor, seat: Seat, ref: str, depth: int, rounds: int) -> Scene:
    """A list of tasks, told whole or one at a time, and the work on each."""
    rng = floor.rng
    items = []
    for n in range(1 + int(rng.random() * 5)):
        text, doing = texts.task(rng)
        items.append({"id": str(n + 1), "text": text, "active_text": doing, "status": "pending"})
    whole = rng.random() < 0.5
    if whole:
        yield at(500, "tasks.updated", ref, items=items)
    else:
        yield at(400, "tasks.updated", ref, items=[])
        for item in items:
            yield 60, "task.upserted", ref, dict(item), None
    for n, item in enumerate(items):
        if n and rng.random() < 0.06:
            yield at(300, "task.deleted", ref, id=item["id"])
            continue
        for status in ("in_progress", "completed"):
            if whole:
                items = [{**old, "status": status} if old["id"] == item["id"] else old for old in items]
                yield at(400, "tasks.updated", ref, items=items)
            else:
                yield at(400, "task.upserted", ref, id=item["id"], status=status)
            if status == "in_progress":
                yield from work(floor, seat, ref, depth, 1 + int(rng.random() * rounds))


def _agents(floor: Floor, seat: Seat, ref: str, depth: int, pause: int) -> Scene:
    """One agent, several at a time, or one in the background; just a look around if there is no room for more nodes."""
    rng = floor.rng
    if depth >= _DEEPEST or not floor.take(1, spare=2):
        yield pause, "activity", ref, {"tool": "Grep", "label": texts.task(rng)[0]}, None
    elif rng.random() < 0.25:
        yield from _background_agent(floor, seat, ref, depth, pause)
    else:
        crew = [_agent(floor, seat, ref, depth, pause)]
        while len(crew) < 3 and rng.random() < 0.3 and floor.take(1, spare=2):
            crew.append(_agent(floor, seat, ref, depth, pause + 60 * len(crew)))
        yield from together(crew)


def _new_agent(floor: Floor, seat: Seat, ref: str) -> tuple[str, str, str]:
    """A name, a ref and a type; refs are nested or flat, as providers differ."""
    name = seat.name(texts.AGENT_NAMES[int(floor.rng.random() * len(texts.AGENT_NAMES))] + "-")
    kind = texts.AGENT_TYPES[int(floor.rng.random() * len(texts.AGENT_TYPES))]
    return name, f"{ref if floor.rng.random() < 0.5 else seat.ref}/{name}", kind


def _agent(floor: Floor, seat: Seat, ref: str, depth: int, pause: int) -> Scene:
    """A foreground agent from its request to its return; some say which call began them, others are guessed."""
    rng, call = floor.rng, seat.call()
    name, agent, kind = _new_agent(floor, seat, ref)
    yield at(pause, "spawn.requested", ref, call_id=call, kind="agent", agent_type=kind, purpose=texts.task(rng)[0], background=False)
    named = {"call_id": call} if rng.random() < 0.6 else {}
    yield 600, "agent.spawned", agent, {"agent_type": kind, **named}, ref
    seat.agents[name] = None
    if rng.random() < 0.4:
        yield from tasks(floor, seat, agent, depth + 1, 2)
    else:
        yield from work(floor, seat, agent, depth + 1, 2 + int(rng.random() * 5))
    seat.agents.pop(name, None)
    status = "completed" if rng.random() < 0.9 else "failed"
    yield at(900, "agent.finished", agent, status=status, summary=texts.finding(rng), background=False)
    yield at(90, "spawn.returned", ref, call_id=call, child=agent, outcome=status)


def _background_agent(floor: Floor, seat: Seat, ref: str, depth: int, pause: int) -> Scene:
    """Starts an agent that goes on by itself."""
    call = seat.call()
    name, agent, kind = _new_agent(floor, seat, ref)
    purpose = texts.task(floor.rng)[0]
    yield at(pause, "spawn.requested", ref, call_id=call, kind="agent", agent_type=kind, purpose=purpose, background=True)
    yield at(600, "agent.spawned", agent, ref, agent_type=kind)
    yield at(600, "spawn.returned", ref, call_id=call, child=agent, outcome="async_launched")
    floor.schedule.start(_behind(floor, seat, agent, depth, name))


def _behind(floor: Floor, seat: Seat, agent: str, depth: int, name: str) -> Scene:
    """The work of a background agent: it stops when its session is gone."""
    seat.agents[name] = None
    for step in work(floor, seat, agent, depth + 1, 4 + int(floor.rng.random() * 12)):
        if not seat.alive:
            break
        yield step
    else:
        yield at(800, "agent.finished", agent, status="completed", summary=texts.finding(floor.rng))
    seat.agents.pop(name, None)


def _message(floor: Floor, seat: Seat, ref: str, pause: int) -> Scene:
    """To another session by its full ref, to an agent by its name, or to somebody nobody knows."""
    rng = floor.rng
    other = floor.someone_else(seat)
    to = other.ref if other else "the release captain"
    if seat.agents and rng.random() < 0.5:
        to = next(reversed(seat.agents))
    message = seat.name("m")
    yield at(pause, "message.sent", ref, message_id=message, to=to, summary=texts.finding(rng), body=texts.task(rng)[0])
    if other and to == other.ref and rng.random() < 0.5:
        yield at(4_000, "message.sent", other.ref, message_id=other.name("m"), to=ref, reply_to=message, summary="Noted")


def _wait(floor: Floor, seat: Seat, ref: str, pause: int) -> Scene:
    """Waits on another session for a while."""
    other = floor.someone_else(seat)
    if other is None:
        yield pause, "status", ref, {"state": "working"}, None
        return
    wait = seat.name("w")
    reason = texts.REASONS[int(floor.rng.random() * len(texts.REASONS))]
    yield at(pause, "wait.started", ref, wait_id=wait, on=other.ref, reason=reason)
    yield at(3_000 + int(floor.rng.random() * 40_000), "wait.ended", ref, wait_id=wait, outcome="satisfied")
