"""The mission's graph in its file (G59, G60)."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.rho.envelope import graph_digest
from app.domain.rho.mission import export_mission
from app.domain.rho.problems import Refused
from app.services.mission_files import NAME, read_mission, write_mission
from tests.domain.rho.test_builders import MISSION, NOW


async def test_a_mission_is_kept_privately_and_read_back(tmp_path: Path) -> None:
    """G59, G60: 0600, nothing left beside it, in place of the one before."""
    envelope = export_mission(MISSION, NOW, "orchard")
    for _ in range(2):
        await write_mission(tmp_path, envelope)
    assert listed(tmp_path) == {NAME: 0o600}
    assert graph_digest(await read_mission(tmp_path)) == graph_digest(envelope)


@pytest.mark.parametrize(("content", "kind"), [(None, "missing_graph"), (b"{", "invalid_json"), (b" " * 1_048_577, "body_too_large")])
async def test_files_that_are_refused(tmp_path: Path, content: bytes | None, kind: str) -> None:
    """G60: missing, no JSON, over 1 MiB."""
    if content is not None:
        put(tmp_path, content)
    with pytest.raises(Refused) as caught:
        await read_mission(tmp_path)
    assert caught.value.kind == kind


async def test_a_directory_is_no_file(tmp_path: Path) -> None:
    """G60."""
    (tmp_path / NAME).mkdir()
    with pytest.raises(Refused, match="missing_graph"):
        await read_mission(tmp_path)


def listed(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


def put(folder: Path, content: bytes) -> None:
    (folder / NAME).write_bytes(content)
