"""The documentation has every command with every option (O3-O13, O35-O37)."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
import typer

from app.cli.main import app

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "operations.md").read_text() + (DOCS / "rho.md").read_text()
EVERYWHERE = {"--help", "--json", "--data-dir"}
"""Told once for all commands."""


def commands(group: click.Group, name: str) -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    for word, command in group.commands.items():
        found += commands(command, f"{name} {word}") if isinstance(command, click.Group) else [(f"{name} {word}", command)]
    return found


COMMANDS = dict(commands(typer.main.get_command(app), "agw"))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented_with_its_options(name: str) -> None:
    """O14: what there is, is told; `agw keys list` and the like stand after their group's first."""
    *group, word = name.split()
    rows = [row for row in TEXT.splitlines() if re.search(rf"`[^`]*{' '.join(group)}[^`]*", row) and re.search(rf"\b{word}\b", row)]
    assert rows, name
    options = {option for each in COMMANDS[name].params for option in (each.secondary_opts or each.opts) if option.startswith("--")}
    for option in sorted(options - EVERYWHERE):
        assert any(option in row for row in rows), f"{name} {option}"
