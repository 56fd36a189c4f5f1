"""Logs that are hard on a reader: long chains, many mutual waiters, one session with everything, trees of an exact size."""

from collections.abc import Iterator
from itertools import count, islice
from random import Random

from app.demo import texts
from app.demo.fleet import START_MS
from app.demo.stage import Event, Scene, Writer, at
from app.demo.stamps import Stamps

_SEED = 7


def chain(levels: int = 1_000, events: int = 10_000) -> Iterator[Event]:
    """`events` events about one session and agents nested `levels` deep, each waiting on the next by a foreground call.

    The chain is made first, by two events a level; the rest happens at its bottom: statuses, tasks, agents that come and go.
    """
    return _log(_chain(levels), events)


def mutual_waiters(n: int = 1_000, events: int = 10_000) -> Iterator[Event]:
    """`events` events about `n` nodes, half of them sessions and half their agents, that wait on each other in one ring and in pairs.

    The waits are made first, by four events a node at most; then ordinary events, waits that end and are taken up again among them.
    """
    return _log(_waiters(n), events)


def hot_session(events: int = 100_000) -> Iterator[Event]:
    """`events` events about one session (and two dozen agents) that makes requests, waits, messages and tasks without end."""
    return _log(_hot(), events)


def flat_nodes(n: int) -> Iterator[Event]:
    """A log that makes exactly `n` nodes: one session and its agents, every text field filled and four tasks on each."""
    return tree_nodes(n, levels=2)


def tree_nodes(n: int, levels: int = 4) -> Iterator[Event]:
    """A log that makes exactly `n` nodes in one evenly branching tree of `levels` levels, every text field filled, four tasks on each.

    Raises ValueError if `n` is less than `levels` or there is no level below the session.
    """
    if n < levels or levels < 2:
        raise ValueError(f"no tree of {levels} levels has {n} nodes")
    return _log(_tree(n, levels), None)


def _log(scene: Scene, events: int | None) -> Iterator[Event]:
    writer, when = Writer(Stamps(Random(_SEED))), START_MS  # noqa: S311  # chance, not secrets
    for step in islice(scene, events):
        when += step[0]
        yield writer.event(when, step)


def _chain(levels: int) -> Scene:
    # Refs stay short: agents are named flat and put under each other by `parent`, as providers do it.
    session = "claude-code:chain"
    yield at(0, "session.started", session, cwd="/home/dev/chain", source="startup", title="Hang by a thread")
    above = session
    for level in range(1, levels + 1):
        agent = f"{session}/link-{level}"
        yield at(50, "spawn.requested", above, call_id="call_1", kind="agent", agent_type="Explore", purpose=f"Hold link {level}")
        yield at(50, "agent.spawned", agent, above, agent_type="Explore", call_id="call_1")
        above = agent
    for n in count():
        task, call, helper = str(n % 40), f"call_{n + 2}", f"{session}/helper-{n % 20}"
        yield at(400, "status", above, state="working", summary=f"Swing {n}")
        yield at(400, "task.upserted", above, id=task, text=f"Tie knot {task}", active_text=f"Tying knot {task}", status="in_progress")
        yield at(400, "spawn.requested", above, call_id=call, kind="agent", agent_type="tester", purpose=f"Pull {n} times")
        yield at(400, "agent.spawned", helper, above, agent_type="tester", call_id=call)
        yield at(400, "task.upserted", helper, id="1", text="Pull", status="pending" if n % 2 else "completed")
        yield at(400, "agent.finished", helper, status="completed", summary="Held")
        yield at(400, "spawn.returned", above, call_id=call, child=helper, outcome="completed")
        yield at(400, "status", helper, state="working")
        yield at(400, "task.upserted", above, id=task, status="completed")
        yield at(400, "activity", above, tool="Bash", label=f"pull --times {n}")


def _waiters(n: int) -> Scene:
    sessions = [f"codex:waiter-{k}" for k in range((n + 1) // 2)]
    nodes = [ref for session in sessions for ref in (session, f"{session}/second")][:n]
    for ref in nodes:
        if "/" in ref:
            yield at(20, "agent.spawned", ref, ref.rpartition("/")[0], agent_type="tester")
        else:
            yield at(20, "session.started", ref, cwd="/home/dev/ring", source="startup")
        yield at(20, "status", ref, state="working")
    for k, ref in enumerate(nodes):
        yield at(20, "wait.started", ref, wait_id="ring", on=nodes[(k + 1) % n], reason="Waiting for the next")
    for k, ref in enumerate(nodes):
        if k ^ 1 < n:
            yield at(20, "wait.started", ref, wait_id="pair", on=nodes[k ^ 1], reason="Waiting for the other of the pair")
    for turn in count():
        ref = nodes[turn * 7 % n]
        yield at(300, "activity", ref, tool="Read", label=f"queue/{turn}.md")
        yield at(
            300,
            "task.upserted",
            ref,
            id=str(turn % 5),
            text=f"Serve ticket {turn}",
            status=("pending", "in_progress", "completed")[turn % 3],
        )
        yield at(300, "status", ref, state="working", summary=f"Ticket {turn}")
        if turn % 4 == 0:
            yield at(300, "wait.ended", ref, wait_id="pair")
            yield at(300, "message.sent", ref, message_id=f"m{turn}", to=nodes[(turn * 7 + 1) % n], summary="Are you done?")
            yield at(300, "wait.started", ref, wait_id="pair", on=nodes[min(turn * 7 % n ^ 1, n - 1)], reason="Waiting again")


def _hot() -> Scene:
    s = "claude-code:hot"
    yield at(0, "session.started", s, cwd="/home/dev/furnace", source="startup", title="Do everything at once")
    yield at(100, "status", s, state="working")
    for n in count():
        agent, call = f"{s}/stoker-{n % 24}", f"call_{n}"
        yield at(100, "spawn.requested", s, call_id=call, kind="agent", agent_type="tester", purpose=f"Stoke {n}", background=n % 3 == 0)
        yield at(100, "wait.started", s, wait_id=f"w{n}", on=agent, reason=f"Waiting for heat {n}")
        yield at(100, "agent.spawned", agent, s, agent_type="tester", call_id=call)
        yield at(100, "message.sent", s, message_id=f"m{n}", to=agent, summary=f"More coal for {n}", body="And mind the draught")
        yield at(100, "task.upserted", s, id=str(n), text=f"Burn load {n}", active_text=f"Burning load {n}", status="in_progress")
        if n % 5 == 4:
            yield at(100, "agent.finished", agent, status="completed", summary="Ash")
        if n % 2:
            yield at(100, "wait.ended", s, wait_id=f"w{n}")
            yield at(100, "task.upserted", s, id=str(n - 1), status="completed")
            yield at(100, "spawn.returned", s, call_id=f"call_{n - 1}")
        if n % 50 == 49:
            yield at(100, "task.deleted", s, id=str(n - 20))
            yield at(100, "spawn.requested", s, call_id=f"{call}_session", kind="session", agent_type="codex", background=True)


def _tree(n: int, levels: int) -> Scene:
    root = "claude-code:tree"
    width = 1
    while sum(width**level for level in range(levels)) < n:
        width += 1
    yield at(0, "session.started", root, cwd="/home/dev/tree", source="startup", title="Grow a tree")
    yield from _filled(root, 0)
    parents, made = [root], 1
    for level in range(1, levels):
        deeper = levels - 1 - level
        row: list[str] = []
        while made < n - deeper and len(row) < width**level:
            parent = parents[len(row) // width]
            ref, call = f"{root}/n{made}", f"call_{made}"
            purpose = f"Grow branch {made}"
            yield at(
                20, "spawn.requested", parent, call_id=call, kind="agent", agent_type="Explore", purpose=purpose, background=made % 4 == 0
            )
            yield at(20, "session.started", ref, parent, cwd=f"/home/dev/tree/{made}", source="startup", title=f"Branch {made}")
            yield at(20, "agent.spawned", ref, parent, agent_type="Explore", call_id=call)
            yield from _filled(ref, made)
            row.append(ref)
            made += 1
        parents = row


def _filled(ref: str, n: int) -> Scene:
    """Summary, attention and tasks of a node: every third one asks something."""
    items = [
        {"id": str(k), "text": f"Leaf {n}.{k}", "active_text": f"Unfolding leaf {n}.{k}", "status": "in_progress" if k == 1 else "pending"}
        for k in range(4)
    ]
    yield at(20, "tasks.updated", ref, items=items)
    yield at(20, "status", ref, state="working", summary=f"Leaf {n} of the tree has unfolded by half")
    if n % 3 == 0:
        yield at(20, "status", ref, state="input_required", summary=texts.QUESTIONS[n % len(texts.QUESTIONS)])
