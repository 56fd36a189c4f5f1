"""Who asks: an account, seen through one key or one login (R10, O17, O19)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.domain.problems import Forbidden

Scope: TypeAlias = Literal["read", "write", "admin"]

CONTRACT_VERSION = "2026-10-09"
"""The version of the REST contract that new keys are pinned to (R11), the only one so far."""

ALL_SCOPES: frozenset[Scope] = frozenset(("read", "write", "admin"))


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks, and what they may do.

    `graph_ids` are the only graphs that a restricted key may use; None: all of the account. `key_id` is the record id of the key that asks,
    `login_id` that of a page's login (exactly one of the two is set; neither is the key or the cookie itself). `operator` is true for the
    operator's key alone (O18), whichever way it came.
    `version` is that of the REST contract which the key is pinned to (R11).
    """

    account: str
    scopes: frozenset[Scope]
    graph_ids: frozenset[str] | None = None
    key_id: str | None = None
    login_id: str | None = None
    operator: bool = False
    version: str = CONTRACT_VERSION

    def may(self, scope: Scope) -> bool:
        """Whether `scope` was given; none includes another (O17)."""
        return scope in self.scopes

    def require(self, scope: Scope) -> None:
        """Raises Forbidden without `scope`."""
        if scope not in self.scopes:
            raise Forbidden(f"This needs a key with the scope {scope}.")

    def may_see(self, graph_id: str) -> bool:
        """Whether a graph of the own account is inside a restricted key's list (R10)."""
        return self.graph_ids is None or graph_id in self.graph_ids

    @property
    def bucket(self) -> str:
        """What the rate limit counts by: a key, or a login as one (Q39)."""
        return self.key_id or self.login_id or ""
