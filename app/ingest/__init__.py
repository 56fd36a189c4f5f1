"""The ingest door: live shares as the public tool pushes them (I28), and JSON Lines from whoever has a key (I35)."""

from app.ingest.routes import ingest_routes

__all__ = ["ingest_routes"]
