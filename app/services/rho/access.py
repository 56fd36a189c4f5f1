"""Who may do what with Rho graphs: they belong to the account that brought them in, and restricted keys see none (Q50)."""

from __future__ import annotations

from app.domain.problems import Forbidden
from app.services.viewer import Viewer


def may_read(viewer: Viewer) -> bool:
    """Whether the caller sees any of its account's Rho records. Raises: Forbidden without the scope `read`."""
    viewer.require("read")
    return viewer.graph_ids is None


def require_write(viewer: Viewer) -> None:
    """Raises: Forbidden for whoever may not bring Rho graphs in."""
    viewer.require("write")
    if viewer.graph_ids is not None:
        raise Forbidden("A key for certain graphs cannot bring Rho graphs in.")
