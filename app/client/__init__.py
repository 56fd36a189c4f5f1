"""Clients of the gateway's doors, for programs in Python."""

from app.client.rho import AsyncRhoClient, RhoClient, RhoFailure, Upload
from app.domain.rho.problems import Refused

__all__ = ["AsyncRhoClient", "Refused", "RhoClient", "RhoFailure", "Upload"]
