"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Where the gateway keeps its data (AGW_DATA_DIR).")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="An event id, Unix ms, a time (RFC 3339) or an age such as 10m.")]
Host = Annotated[str | None, typer.Option(help="Address to listen at (AGW_HOST).")]
Port = Annotated[int | None, typer.Option(min=0, max=65_535, help="Port to listen at; 0 takes a free one (AGW_PORT).")]
