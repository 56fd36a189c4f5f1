"""Logs for benchmarks: a tree of an exact size whose nodes then go on changing, for as long as history is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from random import Random
from typing import Any

from app.demo import texts
from app.demo.adversarial import tree_nodes
from app.demo.stage import Writer, at
from app.demo.stamps import Stamps, unix_ms

SEED = 7
_STEP_MS = 250


def busy_tree(nodes: int, events: int, levels: int = 4) -> list[dict[str, Any]]:
    """A tree of exactly so many nodes, and then so many events about them: each changes one node's state, summary or tasks.

    Every node's turn comes again and again, in no order, so that of an old moment nothing is as it is now.
    """
    made = list(tree_nodes(nodes, levels))
    refs = list(dict.fromkeys(event["node"] for event in made))
    return made + list(islice(goings_on(refs, unix_ms(made[-1]["ts"]) + _STEP_MS), events))


def bare_tree(nodes: int, width: int = 30) -> Iterator[dict[str, Any]]:
    """A tree of exactly so many nodes below a session, by two events each; every node has up to `width` children."""
    rng = Random(SEED)
    writer = Writer(Stamps(rng))
    root, when = "claude-code:tree", unix_ms("2026-06-01T08:00:00.000Z")
    yield writer.event(when, at(0, "session.started", root, cwd="/home/dev/tree", source="startup", title="Grow a wide tree"))
    refs = [root]
    for n in range(nodes):
        parent, ref = refs[n // width], f"{root}/n{n}"
        refs.append(ref)
        spawned = at(0, "agent.spawned", ref, parent, agent_type="Explore", purpose=f"Look under leaf {n}")
        yield writer.event(when + 20 * n, spawned)
        yield writer.event(when + 20 * n + 10, at(0, "status", ref, state="working", summary=texts.finding(rng)))


def goings_on(refs: list[str], from_ms: int, step_ms: int = _STEP_MS, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Events about these nodes from a time on (Unix ms), without end."""
    rng = Random(seed)
    writer = Writer(Stamps(rng))
    for n in count():
        ref = refs[int(rng.random() * len(refs))]
        match n % 4:
            case 0:
                step = at(0, "status", ref, state="working", summary=f"Step {n}: {texts.finding(rng)}")
            case 1:
                step = at(0, "task.upserted", ref, id=str(n % 3), text=f"Leaf {n}", status=("pending", "in_progress", "completed")[n % 3])
            case 2:
                step = at(0, "activity", ref, tool="Read", label=f"notes/{n}.md")
            case _:
                step = at(0, "status", ref, state="input_required", summary=texts.QUESTIONS[n % len(texts.QUESTIONS)])
        yield writer.event(from_ms + n * step_ms, step)


def rounds(refs: list[str], from_ms: int, each: int, seed: int = SEED) -> Iterator[list[dict[str, Any]]]:
    """Runs of events without end; each run changes so many different ones of these nodes, one by each of its events."""
    rng = Random(seed)
    writer = Writer(Stamps(rng))
    for n in count():
        kind = ("working", "input_required", "idle")[n % 3]
        yield [
            writer.event(from_ms + n * _STEP_MS + k, at(0, "status", ref, state=kind, summary=f"Round {n}"))
            for k, ref in enumerate(rng.sample(refs, each))
        ]
