"""`agw rho`: what can be said of a Rho graph in a file, without a gateway and without a store (O13)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from app.cli.output import print_json
from app.cli.stop import Stop
from app.domain.rho.envelope import canonical_json, canonical_sha256, graph_digest
from app.domain.rho.json_text import read_json
from app.domain.rho.normalize import prepare as prepared
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.schedule import graph_tasks, read_tasks
from app.domain.rho.schedule import schedule as scheduled
from app.domain.rho.validate import validate as validated

T = TypeVar("T")


def validate(file: str, profile: Profile, project_id: str | None) -> None:
    """Prints whether the envelope is valid, with its digests and warnings."""

    def answer(document: Any) -> dict[str, object]:
        found = validated(document, profile, project_id=project_id)
        return {"facts": found.facts, "warnings": [warning.told() for warning in found.warnings], **_digests(document)}

    _print(file, answer)


def canonicalize(file: str, profile: Profile) -> None:
    """Writes the canonical text, to the byte: no newline follows it, so that its hash is that of the document."""

    def answer(document: Any) -> str:
        validated(document, profile)
        return canonical_json(document)

    sys.stdout.buffer.write(_answered(file, answer).encode())
    sys.stdout.buffer.flush()


def digest(file: str, profile: Profile) -> None:
    """Prints the hash of the canonical text, and that of the graph alone."""

    def answer(document: Any) -> dict[str, object]:
        validated(document, profile)
        return dict(_digests(document))

    _print(file, answer)


def prepare(file: str) -> None:
    """Prints the document made ready for upload."""

    def answer(document: Any) -> dict[str, object]:
        found = prepared(document)
        return {
            "facts": found.facts,
            "sync_id": found.sync_id,
            "query_sha256": found.query_sha256,
            "graph_digest": graph_digest(found.document),
            "prepared_bytes": found.bytes,
            "prepared_json": found.json,
        }

    _print(file, answer)


def schedule(file: str) -> None:
    """Prints waves and runnable tasks: of a list of tasks, an object with `tasks`, or the tasks of an envelope (M17)."""

    def answer(document: Any) -> dict[str, object]:
        found = scheduled(_tasks(document))
        return {"waves": found.waves, "ready": found.ready, "unique_blocking_edges": found.unique_blocking_edges}

    _print(file, answer)


def _tasks(document: Any) -> Any:
    if isinstance(document, dict) and "schema_version" in document:
        validated(document, Profile.PORTABLE)
        return graph_tasks(document)
    return read_tasks(document["tasks"] if isinstance(document, dict) and "tasks" in document else document)


def _digests(document: Any) -> dict[str, str]:
    return {"canonical_sha256": canonical_sha256(document), "graph_digest": graph_digest(document)}


def _print(file: str, answer: Callable[[Any], dict[str, object]]) -> None:
    print_json({"ok": True, **_answered(file, answer)})


def _answered(file: str, answer: Callable[[Any], T]) -> T:
    """What `answer` makes of a file's document, `-` for standard input; a refusal is printed as JSON and ends the command with 1."""
    text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        return answer(read_json(text))
    except Refused as refused:
        print_json({"ok": False, "error": refused.told()})
        raise Stop(f"{'Standard input' if file == '-' else file} is refused: {refused.message}.") from refused
