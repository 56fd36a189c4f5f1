"""The Rho door: uploads and read-backs as Rho's own clients speak them, and what commands need (G47-G54, G81-G89)."""

from app.rho.routes import rho_routes

__all__ = ["rho_routes"]
