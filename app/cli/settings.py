"""The settings that a command goes by: options first, then variables and `.env` (O15)."""

from __future__ import annotations

from typing import Any

from app.settings import Settings, load_settings


def settings_for(**options: Any) -> Settings:
    """The settings with the options that were given in place of theirs. Raises: SettingsProblem."""
    return load_settings(**{name: value for name, value in options.items() if value is not None})
