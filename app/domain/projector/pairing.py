"""Pairing a session with the request that started it (E43-E51)."""

from __future__ import annotations

from app.domain.projector import requests
from app.domain.projector.graph import GraphState
from app.domain.projector.state import Node, Spawn, UnpairedStarts
from app.domain.times import NS_PER_S, read_ns

_AGENT_PROGRAMS = frozenset({"claude", "codex", "gemini", "cursor-agent", "copilot", "opencode", "amp", "aider", "goose", "qwen"})
_PROGRAM_OF = {"claude-code": "claude", "codex": "codex", "cursor": "cursor-agent"}
_BACKGROUND_WINDOW_NS = 600 * NS_PER_S
_FRESH_BACKGROUND_NS = 60 * NS_PER_S


def look_for_request(graph: GraphState, node: Node) -> None:
    """Pairs a started session, or remembers it among the unpaired starts of this moment (E41, E49)."""
    _pair(graph, node, graph.ts)
    if node.bound:
        return
    if graph.unpaired is None or graph.unpaired.time_ns != graph.time_ns:
        graph.unpaired = UnpairedStarts(graph.time_ns, graph.ts)
    if node.ref not in graph.unpaired.refs:
        graph.unpaired.refs.append(node.ref)


def pair_waiting_starts(graph: GraphState, spawn: Spawn) -> None:
    """A session request of the very moment of starts that found none (E49)."""
    unpaired = graph.unpaired
    if unpaired is None or unpaired.time_ns != graph.time_ns:
        return
    for ref in unpaired.refs:
        node = graph.nodes[ref]
        if not node.bound and node.parent is not None and node.parent.session_part == spawn.owner.session_part:
            graph.met.add(49)
            _pair(graph, node, unpaired.ts)
    unpaired.refs = [ref for ref in unpaired.refs if not graph.nodes[ref].bound]


def _pair(graph: GraphState, node: Node, start: str) -> None:
    assert node.parent is not None
    listed = graph.session_requests.get(node.parent.session_part)
    if not listed:
        return
    start_ns = read_ns(start)
    graph.met.add(43)
    possible: list[tuple[tuple[bool, str, str, str], Spawn]] = []
    for spawn in list(listed):
        age = _age_ns(spawn, start_ns)
        if spawn.background and age is not None and age > _BACKGROUND_WINDOW_NS:
            del listed[spawn]  # starts only get later: it can answer none any more (E44)
            graph.met.add(44)
        elif _may_be(graph, spawn, node, start, age):
            stale = spawn.background and age is not None and age > _FRESH_BACKGROUND_NS
            possible.append(((stale, *spawn.order), spawn))
    if not possible:
        return
    possible.sort(key=lambda item: item[0])
    graph.met |= {44, 47}
    named = (spawn for _, spawn in possible if spawn.agent_type is not None and _runs(node, spawn.agent_type))
    chosen = next(named, possible[0][1])
    if not requests.bind(graph, chosen.owner, chosen.call_id, node):
        graph.met.add(48)


def _age_ns(spawn: Spawn, start_ns: int | None) -> int | None:
    requested_ns = read_ns(spawn.requested_at)
    return None if requested_ns is None or start_ns is None else start_ns - requested_ns


def _may_be(graph: GraphState, spawn: Spawn, node: Node, start: str, age: int | None) -> bool:
    if spawn.requested_at > start:
        return False
    if spawn.background and (age is None or not 0 <= age <= _BACKGROUND_WINDOW_NS):
        return False
    if not spawn.background and spawn.returned:
        return False
    program = _PROGRAM_OF.get(node.provider)
    if program is not None and spawn.agent_type in _AGENT_PROGRAMS and spawn.agent_type != program:
        graph.met.add(45)
        return False
    if spawn.run is not None:
        graph.met.add(46)
        return spawn.run == (node.provider == "run")
    return node.provider != "run" or (spawn.agent_type is not None and _runs(node, spawn.agent_type))


def _runs(node: Node, program: str) -> bool:
    """Whether a session runs a program (E45)."""
    provider = node.provider
    return (
        provider == program
        or provider.startswith(program + "-")
        or _PROGRAM_OF.get(provider) == program
        or (provider == "run" and node.title == program)
    )


def answer_suggestion(graph: GraphState, node: Node, title: str | None) -> None:
    """A session without a parent that bears the title of a suggested one (E50, E51)."""
    if node.kind != "session" or node.parent is not None or node.bound or title is None or node.title is None:
        return
    for spawn in graph.suggestions.get(node.title, {}).values():
        if spawn.requested_at > node.created or spawn.owner.session_part == node.ref:
            continue
        if requests.bind(graph, spawn.owner, spawn.call_id, node):
            graph.met |= {50, 51}
            node.link_method = "suggested"
        return
