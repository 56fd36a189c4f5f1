"""The documentation names every setting as it is (O15)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.settings import Settings, variable_of

TEXT = (Path(__file__).parents[1] / "docs" / "operations.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `((?:AGW|NEO4J)_\w+)` \| (.+?) \|", TEXT, re.MULTILINE))
IN_WORDS = {"data_dir": "the platform's folder for user data", "expire_after": "off", "cors_origins": "none"}


def written(field: str) -> str:
    """A default as the documentation writes it."""
    default: Any = Settings.model_fields[field].get_default(call_default_factory=True)
    default = default.get_secret_value() if isinstance(default, SecretStr) else default
    if field in IN_WORDS:
        return IN_WORDS[field]
    if default in (None, ""):
        return "–"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{int(default) if isinstance(default, float) and default.is_integer() else default}`"


@pytest.mark.parametrize("field", list(Settings.model_fields))
def test_every_setting_is_documented_with_its_default(field: str) -> None:
    """O15: each is documented."""
    assert ROWS.get(variable_of(field)) == written(field)


def test_nothing_else_is_documented() -> None:
    """A setting that is gone is gone from the documentation too."""
    assert set(ROWS) == {variable_of(field) for field in Settings.model_fields}


def test_every_command_is_documented() -> None:
    """O3-O12: each command has its row, and each of a group is named in its group's."""
    from app.cli.main import app

    names = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    groups = {str(group.info.name): group for each in app.registered_groups if (group := each.typer_instance) is not None}
    assert names | set(groups) == set(re.findall(r"^\| `agw (\w+)", TEXT, re.MULTILINE))
    for name, group in groups.items():
        told = re.findall(rf"`(?:agw )?{name} ([\w|\\]+)", TEXT)
        assert {command.name for command in group.registered_commands} == set(re.split(r"\\?\|", "|".join(told))), name
