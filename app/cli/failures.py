"""What a person is told about an exception: one line, never a traceback (O14)."""

from __future__ import annotations

import os
import sqlite3

from app.domain.problems import Problem


def exit_code(error: Exception) -> int:
    """2 for wrong usage, a setting's wrong value included, else 1 (O14)."""
    from app.settings import WrongValue

    return 2 if isinstance(error, WrongValue) else 1


def explained(error: Exception) -> str:
    """The line for an error that a command did not foresee."""
    from pydantic import ValidationError

    from app.embedded.problems import EmbeddedProblem
    from app.settings import SettingsProblem
    from app.store.problems import StoreProblem

    if isinstance(error, Problem):
        return error.message
    if isinstance(error, (StoreProblem, EmbeddedProblem, SettingsProblem)):
        return str(error)
    if isinstance(error, sqlite3.Error):
        return f"Events cannot be sorted on disk ({error}): set TMPDIR to a folder with more room than the event files take."
    if isinstance(error, ValidationError):
        return f"A setting is wrong: {error.errors()[0]['msg']}."
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror or error}."
    if os.environ.get("AGW_LOG_LEVEL", "").lower() == "debug":
        import traceback

        traceback.print_exc()
    return f"This should not happen: {type(error).__name__}: {error}. AGW_LOG_LEVEL=debug shows where; please report it."
