"""docs/rho.md: its files and commands are run, and say what it shows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import AGW, ROOT, environment

TEXT = (ROOT / "docs" / "rho.md").read_text(encoding="utf-8")
FILES = re.findall(r"<!-- file: (\S+) -->\n```json\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = re.findall(r"```console\n\$ agw (.*?)\n(.*?)```", TEXT, re.DOTALL)


def test_the_examples_are_found() -> None:
    assert [name for name, _ in FILES] == ["orchard.json", "ring.json"]
    assert len(COMMANDS) == TEXT.count("```console")


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_example(command: str, shown: str, tmp_path: Path) -> None:
    """What is printed, standard error after standard output; an ellipsis stands for the rest of a line."""
    for name, content in FILES:
        (tmp_path / name).write_text(content)
    done = subprocess.run([*AGW, *command.split()], capture_output=True, cwd=tmp_path, env=environment(tmp_path / "data"), timeout=60)
    said = done.stdout.decode() + done.stderr.decode()
    pattern = re.escape(shown).replace("…", "[^\n]*")
    assert re.fullmatch(pattern, said), said
    assert done.returncode == (1 if '"ok": false' in shown else 0)
