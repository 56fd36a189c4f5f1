"""Which of the rules E17-E122 a log really exercises, and what counts as exercising each.

Most rules are noted where their effect happens (`World.met` in the module of the rule's section): E32 when a move is refused
for a loop, E48 when a refused binding stops a pairing, E61 when a request is released, E105 when a repeated message is
dropped. For the rules that describe rather than do, the witness is:

E18, E23 a node made; its being the event's own. E19 a node whose ref has no provider, or another one than the event's source.
E20 an event about a node that was a placeholder before. E21 a keyframe line in the log (local logs hold none).
E26 last_event moved. E30 the suggestions were tried. E33 an agent put under another node than its upper ref.
E34 a node taken out of an old parent's children. E42, E66 such an event about an agent. E43 requests to choose from.
E44, E46 a request ruled out. E45 a request that names a program of its own or of another agent. E47 several to choose from.
E51 a titled request left out of a guess. E53 a quick end. E57 an open wait, unreturned background request or question that stays.
E65 a finished agent that works again by a status. E69 a status that passed both checks. E72 one that was not late after an end.
E76 a finished status with a child or a wait on the node that goes on. E79, E80 a request that calls over leave alone.
E84 a finished node with open tasks. E86 a call id that two nodes use. E90 a displaced child. E91 a purpose replaced.
E92 a returned request bound. E93 a parent ignored. E94 a return whose child goes on. E95 a child of two requests.
E97 a spawn wait that followed its request. E99 any wait closed. E100 a wait id used again. E101 an open wait that does not count.
E102 a recipient found by name or not at all. E106 a peer shown as a name. E108 an activity of an idle node.
E109 a wait that counts. E110-E119 such a value that is not empty. E112 a finished node with a summary.
E114 a node probably asking that would be stale. E117 a wait still starting, or a repeated target. E118 a walk beyond the targets.
E120, E121 several to order. E122 an event about a node that was shown as probably asking just before.
"""

from __future__ import annotations

from tests.oracle.derived import mood, ordered_roots
from tests.oracle.fold import apply
from tests.oracle.keyframes import world_of
from tests.oracle.reading import Log
from tests.oracle.shown import show
from tests.oracle.times import time_of


def fold_with_rules(log: Log) -> set[int]:
    """The rules E17-E122 met while folding the log and showing the state after every event."""
    world = world_of(log.base)
    world.met(21, log.keyframes > 0)
    for n, event in enumerate(log.events, 1):
        node = world.nodes.get(event["node"])
        if node is not None:
            world.met(122, mood(world, node, time_of(event["ts"])).state != node.state)
        apply(world, event)
        show(world, log.moment(n))
        ordered_roots(world)
    return {rule for rule in world.rules if 17 <= rule <= 122}
