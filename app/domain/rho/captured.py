"""What a session's process notes down in its journal, and in which words (G80). It is enforced first and noted after."""

from __future__ import annotations

from typing import Any

from app.domain.rho.building import digest_of
from app.domain.rho.envelope import Document
from app.domain.rho.journal import RISKS, entry
from app.domain.rho.texts import sha256_hex

PLAN_STAGE = "verify-plan-execution"


def permission(session_id: str, tool_call_id: str, stage: str, now: str, *, allowed: bool, reason: str | None = None) -> Document | None:
    """The final outcome of a permission, or of a person's approval. Raises: Refused."""
    verdict: dict[str, Any] = {
        "allowed": allowed,
        "risk": RISKS.index("low" if allowed else "blocked"),
        "confidence": 1,
        "rule": stage,
        "source": f"rho.{stage}",
    }
    digest = digest_of(reason)
    if digest is not None:
        verdict["reason_sha256"] = digest
    return entry(session_id, "policy", verdict, now, tool_call_id=tool_call_id, stage=stage)


def plan_verification(
    session_id: str, tool_call_id: str, now: str, *, total: int | None, verified: int = 0, erroneous: bool = False
) -> Document | None:
    """How far a plan was carried out. `total`: the plan's steps, None where the tool's output cannot be read. Raises: Refused."""
    if total is None or erroneous:
        failed, findings = True, 1
    else:
        failed, findings = verified < total, max(total - verified, 0)
    result = {
        "failed": failed,
        "finding_count": findings,
        "max_severity": "medium" if failed else "info",
        "target_sha256": sha256_hex("plan-execution"),
    }
    return entry(session_id, "verification", result, now, tool_call_id=tool_call_id, stage=PLAN_STAGE)
