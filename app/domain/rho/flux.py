"""What the model engine did for one turn: the route that it chose and what the generation came to (G22)."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.rho.building import moment, yes_no
from app.domain.rho.envelope import Document
from app.domain.rho.observed import Observation, parts_digest, text_digest

PRODUCER = "flux"


@dataclass(frozen=True)
class Route:
    """Where a request went; `deployment_routing`: a deployment was chosen, not just a model."""

    provider: str
    model: str
    deployment_routing: bool = False


@dataclass(frozen=True)
class Usage:
    """What a generation took and gave, in tokens."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    thinking_tokens: int = 0


@dataclass(frozen=True)
class Turn:
    """One answer of a model. The ids and the content only leave as digests; a `tool_call_count` below 0 counts as 0."""

    request_id: str
    correlation_id: str
    observed_at: str
    route: Route | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    content: str | None = None
    tool_call_count: int = 0


def flux_facts(turn: Turn) -> Document | None:
    """The content of a `runtime` entry; None without a route and without usage. Raises: Refused: no time."""
    if turn.route is None and turn.usage is None:
        return None
    observation = parts_digest(turn.request_id, turn.correlation_id, moment(turn.observed_at))
    made = Observation(PRODUCER, turn.observed_at, observation)
    route = None
    if turn.route is not None:
        attributes = {
            "provider_digest": text_digest(turn.route.provider),
            "model_digest": text_digest(turn.route.model),
            "deployment_routing": yes_no(turn.route.deployment_routing),
        }
        route = made.node("operations", "route", parts_digest(observation, "route"), attributes)
    if turn.usage is not None:
        attributes = {
            **{name: str(count) for name, count in vars(turn.usage).items()},
            "finish_reason": turn.finish_reason,
            "request_id_digest": text_digest(turn.request_id),
            "content_digest": text_digest(turn.content),
            "tool_call_count": str(max(turn.tool_call_count, 0)),
        }
        generation = made.node("operations", "generation", parts_digest(observation, "generation"), attributes)
        if route is not None:
            made.depends(generation, route)
    return made.content()
