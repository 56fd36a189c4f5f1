"""By which rules a document is judged (G25)."""

from __future__ import annotations

from enum import StrEnum


class Profile(StrEnum):
    """`portable`: local files. `cloud`: what is bound for upload, and what is received from one (G25)."""

    PORTABLE = "portable"
    CLOUD = "cloud"
