"""Clients of the gateway's doors, for programs in Python."""

from app.client.rho import AsyncRhoClient, RhoClient, RhoFailure, Upload

__all__ = ["AsyncRhoClient", "RhoClient", "RhoFailure", "Upload"]
