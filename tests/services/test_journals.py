"""Journals as files (G73-G75, G78, G79, G95)."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from app.domain.rho.captured import permission
from app.domain.rho.journal import file_name, line
from app.domain.rho.problems import Refused
from app.services.journals import Journals

NOW = "2026-10-01T09:30:00Z"


async def test_entries_are_appended_privately(tmp_path: Path) -> None:
    """G73-G75: one line each, however many write at once; 0600 and 0700 whatever the umask."""
    made = [permission("pear-42", f"call-{n}", "permission", NOW, allowed=True) for n in range(20)]
    other = permission("pear-43", "call-1", "approval", NOW, allowed=False, reason="no")
    before = os.umask(0)
    try:
        journals = Journals(tmp_path / "state")
        assert all(await asyncio.gather(*map(journals.append, made)))
        assert await Journals(tmp_path / "state").append(other)
    finally:
        os.umask(before)
    file = tmp_path / "state" / file_name("pear-42")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert sorted(file.read_bytes().splitlines(keepends=True)) == sorted(line(each) for each in made if each)
    found = await journals.entries("pear-42")
    assert {each["tool_call_id"] for each in found} == {f"call-{n}" for n in range(20)}
    assert await journals.entries("pear-43") == (json.loads(json.dumps(other)),)


async def test_what_is_not_there_and_what_is_broken(tmp_path: Path) -> None:
    """G78, G79: no file is no entry, nothing is written for nothing, a torn end is left out, a broken line is refused."""
    journals = Journals(tmp_path)
    assert await journals.entries("pear-42") == ()
    assert not await journals.append(None)
    assert not (tmp_path / file_name("pear-42")).exists()
    made = permission("pear-42", "call-1", "permission", NOW, allowed=True)
    assert await journals.append(made)
    file = tmp_path / file_name("pear-42")
    file.write_bytes(file.read_bytes() + b'{"schema_ver')
    assert len(await journals.entries("pear-42")) == 1
    file.write_bytes(b"{\n" + file.read_bytes())
    with pytest.raises(Refused, match="invalid_json"):
        await journals.entries("pear-42")


async def test_a_journal_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    """G95: told by the answer and the log alone."""
    (tmp_path / "graph-observations").write_text("in the way")
    assert not await Journals(tmp_path).append(permission("pear-42", "call-1", "permission", NOW, allowed=True))
