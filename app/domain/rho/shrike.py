"""What the token pipeline reports: contexts compressed, budgets used, secrets taken out (G23)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.rho.building import Reference, yes_no
from app.domain.rho.envelope import Document
from app.domain.rho.observations import decimal
from app.domain.rho.observed import Observation, parts_digest, text_digest

PRODUCER = "shrike"


@dataclass(frozen=True)
class Compression:
    """A context made shorter; costs in US dollars."""

    original_tokens: int
    final_tokens: int
    cost_savings_usd: float = 0.0
    model: str | None = None
    layer_count: int = 0

    @property
    def reduction_percent(self) -> float:
        """By how much, 0 for an empty context."""
        return 100 * (1 - self.final_tokens / self.original_tokens) if self.original_tokens else 0.0


@dataclass(frozen=True)
class Spent:
    """Tokens used up in a span and those that remain."""

    used: int = 0
    remaining: int = 0


@dataclass(frozen=True)
class Usage:
    """What has been used so far; costs in US dollars."""

    hourly: Spent = Spent()
    daily: Spent = Spent()
    session: Spent = Spent()
    daily_cost_usd: float = 0.0
    remaining_cost_usd: float = 0.0
    hourly_percent: float = 0.0
    daily_percent: float = 0.0


@dataclass(frozen=True)
class Budget:
    """Whether a request was within the limits, and which those are; 0 is no limit."""

    allowed: bool
    reason: str | None = None
    hourly_token_limit: int = 0
    daily_token_limit: int = 0
    session_token_limit: int = 0
    cost_limit_usd: float = 0.0


@dataclass(frozen=True)
class Redaction:
    """Secrets taken out of an answer; `types` are the names of their kinds."""

    match_count: int
    verified_count: int
    types: Sequence[str] = ()


def compression_facts(found: Compression, source: str, observed_at: str) -> Document:
    """The content of a `runtime` entry. `source`: what was compressed, of which only the digest leaves. Raises: Refused: no time."""
    made, name = _begun(source, observed_at)
    attributes = {
        "original_tokens": str(found.original_tokens),
        "final_tokens": str(found.final_tokens),
        "tokens_saved": str(found.original_tokens - found.final_tokens),
        "reduction_percent": decimal(found.reduction_percent),
        "cost_savings_usd": decimal(found.cost_savings_usd),
        "model_digest": text_digest(found.model),
        "layer_count": str(found.layer_count),
        "source_digest": parts_digest(source),
    }
    made.node("operations", "compression", name, attributes)
    return made.content()


def budget_facts(usage: Usage, budget: Budget | None, source: str, observed_at: str) -> Document:
    """Use and, where one was made, the decision that rests on it. Raises: Refused: no time."""
    made, name = _begun(source, observed_at)
    used = _usage(made, name, usage)
    if budget is not None:
        attributes = {
            "allowed": yes_no(budget.allowed),
            "reason_digest": text_digest(budget.reason),
            "hourly_token_limit": str(budget.hourly_token_limit),
            "daily_token_limit": str(budget.daily_token_limit),
            "session_token_limit": str(budget.session_token_limit),
            "cost_limit_usd": decimal(budget.cost_limit_usd),
        }
        made.depends(made.node("policy", "budget_decision", name, attributes, named="budget"), used)
    return made.content()


def redaction_facts(found: Redaction, source: str, observed_at: str) -> Document | None:
    """None where nothing matched (G80). Raises: Refused: no time."""
    if not found.match_count:
        return None
    made, name = _begun(source, observed_at)
    types = sorted(set(found.types))
    attributes = {
        "match_count": str(found.match_count),
        "verified_count": str(found.verified_count),
        "type_count": str(len(types)),
        "types_digest": parts_digest(*types),
        "source_digest": parts_digest(source),
    }
    made.node("quality", "redaction", name, attributes)
    return made.content()


def _begun(source: str, observed_at: str) -> tuple[Observation, str]:
    """An observation, and the digest in which the ids of its nodes end."""
    digest = parts_digest(source)
    made = Observation(PRODUCER, observed_at, digest)
    return made, parts_digest(digest, made.time)


def _usage(made: Observation, name: str, usage: Usage) -> Reference:
    attributes: dict[str, str | None] = {
        "daily_cost_usd": decimal(usage.daily_cost_usd),
        "remaining_cost_usd": decimal(usage.remaining_cost_usd),
        "hourly_percent": decimal(usage.hourly_percent),
        "daily_percent": decimal(usage.daily_percent),
    }
    for span, spent in (("hourly", usage.hourly), ("daily", usage.daily), ("session", usage.session)):
        attributes |= {f"{span}_tokens": str(spent.used), f"{span}_remaining_tokens": str(spent.remaining)}
    return made.node("operations", "usage", name, attributes)
