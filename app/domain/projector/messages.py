"""Messages between nodes (E102-E105)."""

from __future__ import annotations

from app.domain.projector.graph import GraphState
from app.domain.projector.payload import Data
from app.domain.projector.state import Message, Node


def sent(graph: GraphState, node: Node, data: Data) -> None:
    """`message.sent`: entered at the sender and, where known, at the recipient."""
    message_id, to = data["message_id"], data["to"]
    if message_id in node.sent:
        graph.met.add(105)
        return
    node.sent.add(message_id)
    recipient = graph.nodes.get(to) or graph.nodes.get(f"{node.session_part}/{to}")
    graph.met |= {102, 103}
    _add(graph, node, data, "sent", to if recipient is None else recipient.ref)
    if recipient is not None:
        graph.met |= {104, 106}
        _add(graph, recipient, data, "received", node.ref)


def _add(graph: GraphState, node: Node, data: Data, direction: str, peer: str) -> None:
    message = Message(len(node.messages), data["message_id"], direction, peer, data["reply_to"], data["summary"], data["body"], graph.ts)
    node.messages.append(message)
    graph.touched_parts["message", node, message.position] = None
