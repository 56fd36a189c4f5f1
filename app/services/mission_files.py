"""`mission-graph.json`, beside a mission's own file (G59, G60)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.domain.rho.envelope import Document
from app.domain.rho.mission import mission_file, read_mission_file
from app.domain.rho.problems import Refused
from app.domain.rho.vocabulary import MOST_BYTES
from app.services.operator_key import write_private

NAME = "mission-graph.json"


async def write_mission(folder: Path, envelope: Document) -> None:
    """Writes the mission's graph, whole or not at all, for its owner alone. Raises: OSError."""
    await asyncio.to_thread(write_private, folder / NAME, mission_file(envelope).decode())


async def read_mission(folder: Path) -> Document:
    """The mission's graph. Raises: Refused: it is missing, a directory, too large or not portable."""
    return read_mission_file(await asyncio.to_thread(_content, folder / NAME))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)  # one more than may be, so that too large a file is known as such
    except OSError as error:
        raise Refused("missing_graph", NAME) from error
