"""The embedded store: finds, starts, watches and stops the graph database that comes with the package (O22)."""

from app.embedded.engine import EmbeddedStore
from app.embedded.problems import EmbeddedProblem

__all__ = ["EmbeddedProblem", "EmbeddedStore"]
