"""What the model engine, the token pipeline and the session's own process report (G22, G23, G80)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from app.domain.rho.captured import permission, plan_verification
from app.domain.rho.flux import Route, Turn, Usage, flux_facts
from app.domain.rho.journal import entry, read_journal
from app.domain.rho.journal import line as journal_line
from app.domain.rho.live import export_live
from app.domain.rho.normalize import prepare
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.shrike import Budget, Compression, Redaction, Spent, budget_facts, compression_facts, redaction_facts
from app.domain.rho.shrike import Usage as Used
from app.domain.rho.texts import sha256_hex
from app.domain.rho.validate import validate
from tests.domain.rho.test_agent_graph import edges, nodes
from tests.domain.rho.test_builders import NOW, SESSION

Fields = dict[str, Any]

AT = "2026-10-01T09:10:00.123456789Z"
MARK = "MARKER"
TURN = Turn(
    f"{MARK}-request",
    f"{MARK}-correlation",
    AT,
    Route(f"{MARK}-provider", f"{MARK}-model", deployment_routing=True),
    Usage(900, 100, 1_000, 5, 6, 7),
    "stop",
    f"{MARK}-content",
    -1,
)


def by_hand(*parts: str) -> str:
    """G22: each part as its length in bytes, a colon and itself."""
    return hashlib.sha256("".join(f"{len(part.encode())}:{part}" for part in parts).encode()).hexdigest()


def test_a_turn_has_a_route_and_a_generation() -> None:
    """G22: ids, attributes, the edge and the events."""
    made = flux_facts(TURN)
    assert made is not None
    observation = by_hand(TURN.request_id, TURN.correlation_id, AT)
    route, generation = (f"flux/{name}/{by_hand(observation, name)}" for name in ("route", "generation"))
    assert nodes(made)[route]["attributes"] == {
        "entity": "route",
        "provider_digest": by_hand(f"{MARK}-provider"),
        "model_digest": by_hand(f"{MARK}-model"),
        "deployment_routing": "true",
    }
    assert nodes(made)[generation]["attributes"] == {
        "entity": "generation",
        "prompt_tokens": "900",
        "completion_tokens": "100",
        "total_tokens": "1000",
        "cache_creation_tokens": "5",
        "cache_read_tokens": "6",
        "thinking_tokens": "7",
        "finish_reason": "stop",
        "request_id_digest": by_hand(f"{MARK}-request"),
        "content_digest": by_hand(f"{MARK}-content"),
        "tool_call_count": "0",
    }
    assert edges(made) == {(generation, "depends_on", route)}
    assert made["edges"][0]["id"] == f"flux/edge/{by_hand(generation, route)}"
    assert {each["id"] for each in made["events"]} == {f"flux/observed/{by_hand(id, AT)}" for id in (route, generation)}
    assert {node["kind"] for node in made["nodes"]} == {"operations"}


@pytest.mark.parametrize(("turn", "count"), [(replace(TURN, usage=None), 1), (replace(TURN, route=None), 1), (TURN, 2)])
def test_half_a_turn(turn: Turn, count: int) -> None:
    """G22: either may be missing, and both."""
    made = flux_facts(turn)
    assert made is not None
    assert (len(made["nodes"]), len(made["edges"]), len(made["events"])) == (count, count - 1, count)
    assert flux_facts(replace(turn, route=None, usage=None)) is None
    with pytest.raises(Refused, match="generated_at"):
        flux_facts(replace(turn, observed_at=""))


def pipeline() -> dict[str, Fields]:
    compression = compression_facts(Compression(1_000, 250, 0.0125, f"{MARK}-model", 3), f"{MARK}-source", AT)
    used = Used(Spent(10, 90), Spent(20, 80), Spent(5, 0), 0.5, 1.5, 10.0, 20.0)
    budget = budget_facts(used, Budget(False, f"{MARK}-reason", 100, 100, 5, 2), f"{MARK}-source", AT)
    redaction = redaction_facts(Redaction(3, 1, ["token", "key", "token"]), f"{MARK}-source", AT)
    assert redaction is not None
    return {"compression": compression, "budget": budget, "redaction": redaction}


def test_the_token_pipeline() -> None:
    """G23: kinds, ids, what each says; the decision rests on the use of the same observation."""
    made = pipeline()
    end = by_hand(by_hand(f"{MARK}-source"), AT)
    found = {id: node for facts in made.values() for id, node in nodes(facts).items()}
    assert {id: (node["kind"], node["attributes"]["entity"]) for id, node in found.items()} == {
        f"shrike/compression/{end}": ("operations", "compression"),
        f"shrike/usage/{end}": ("operations", "usage"),
        f"shrike/budget/{end}": ("policy", "budget_decision"),
        f"shrike/redaction/{end}": ("quality", "redaction"),
    }
    compressed = found[f"shrike/compression/{end}"]["attributes"]
    assert (compressed["tokens_saved"], compressed["reduction_percent"], compressed["cost_savings_usd"]) == ("750", "75", "0.0125")
    assert found[f"shrike/redaction/{end}"]["attributes"]["types_digest"] == by_hand("key", "token")
    assert edges(made["budget"]) == {(f"shrike/budget/{end}", "depends_on", f"shrike/usage/{end}")}
    assert redaction_facts(Redaction(0, 0), "x", AT) is None  # G80: only if any matched
    assert len(budget_facts(Used(), None, "x", AT)["nodes"]) == 1


def test_all_of_it_is_merged_into_a_session_and_nothing_leaks() -> None:
    """G12, G24.7, G80: through the journal and back, stamped, linked by kind, fit for upload, without a text."""
    turn = flux_facts(TURN)
    assert turn is not None
    stages = {"model-generation": turn, **{f"stage-{name}": facts for name, facts in pipeline().items()}}
    entries = [entry(SESSION.id, "runtime", content, AT, stage=stage) for stage, content in stages.items()]
    journal = read_journal(b"".join(journal_line(each) for each in entries if each), SESSION.id).entries
    assert len(journal) == 4
    envelope = export_live(SESSION, NOW, journal=journal)
    top = f"rho/session/{SESSION.id}"
    linked = {target.rpartition("/")[0]: kind for source, kind, target in edges(envelope) if source == top and "rho" not in target}
    assert linked == {
        "flux/route": "produced",
        "flux/generation": "produced",
        "shrike/compression": "produced",
        "shrike/usage": "produced",
        "shrike/budget": "governed_by",
        "shrike/redaction": "validated_by",
    }
    assert validate(envelope, Profile.PORTABLE, closed=True).warnings == ()
    text = prepare(envelope).json
    assert MARK not in text
    assert MARK not in json.dumps(envelope)


@pytest.mark.parametrize(("allowed", "risk"), [(True, 0), (False, 3)])
def test_permissions_are_noted(allowed: bool, risk: int) -> None:
    """G80: the stage is the rule; a reason is there as its digest."""
    made = permission("s", "c", "human-approval", NOW, allowed=allowed, reason="Because")
    assert made is not None
    assert made["policy"] == {
        "allowed": allowed,
        "risk": risk,
        "confidence": 1,
        "rule": "human-approval",
        "source": "rho.human-approval",
        "reason_sha256": sha256_hex("Because"),
    }
    assert (made["tool_call_id"], made["stage"]) == ("c", "human-approval")
    assert permission(" ", "c", "x", NOW, allowed=allowed) is None


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"total": 3, "verified": 3}, (False, 0, "info")),
        ({"total": 3, "verified": 1}, (True, 2, "medium")),
        ({"total": 1, "verified": 2}, (False, 0, "info")),
        ({"total": None}, (True, 1, "medium")),
        ({"total": 3, "verified": 3, "erroneous": True}, (True, 1, "medium")),
    ],
)
def test_verified_plans_are_noted(told: Fields, expected: tuple[bool, int, str]) -> None:
    """G80: failed when not all was verified, or when it cannot be told."""
    made = plan_verification("s", "c", NOW, **told)
    assert made is not None
    result = made["verification"]
    assert (result["failed"], result["finding_count"], result["max_severity"]) == expected
    assert (made["stage"], result["target_sha256"]) == ("verify-plan-execution", sha256_hex("plan-execution"))
