"""Missions: their envelope (section G), and what a wave and a mission come to (G72)."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.domain.rho.building import Building, Reference, yes_no
from app.domain.rho.envelope import Document, canonical_json
from app.domain.rho.json_text import read_json
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.texts import sha256_hex
from app.domain.rho.validate import validate
from app.domain.rho.vocabulary import MOST_BYTES


@dataclass(frozen=True)
class Feature:
    """A feature of a mission; `status` is `pending`, `in_progress`, `completed` or `failed`; times are RFC 3339 or None."""

    id: str
    status: str
    description: str = ""
    expected_behavior: str = ""
    branch: str = ""
    tests_passed: bool = False
    started_at: str | None = None
    completed_at: str | None = None


@dataclass(frozen=True)
class Join:
    """What a wave came to, stored before the next one starts (G72.2, G72.3). `wave` counts from 1; `features` are in wave order."""

    wave: int
    features: tuple[str, ...]
    completed: tuple[str, ...]
    failed: tuple[str, ...]
    blocked: tuple[str, ...]
    started_at: str
    joined_at: str
    summary: str

    @property
    def status(self) -> str:
        """Failed if any feature failed, else partial if any is blocked, else completed (G55)."""
        return "failed" if self.failed else "partial" if self.blocked else "completed"


@dataclass(frozen=True)
class Mission:
    """A mission with its features and the waves that were joined."""

    id: str
    prompt: str
    features: tuple[Feature, ...]
    joins: tuple[Join, ...] = ()
    status: str = "pending"
    started_at: str | None = None
    completed_at: str | None = None


def mission_status(statuses: Collection[str]) -> str:
    """`completed` when nothing failed or is pending, `failed` when nothing completed, else `partial` (G72.5)."""
    if not any(status != "completed" for status in statuses):
        return "completed"
    return "partial" if "completed" in statuses else "failed"


def task_status(feature_status: str) -> str:
    """What a feature's status makes of its task: one that failed can be tried again (G72.6)."""
    return "pending" if feature_status == "failed" else feature_status


def export_mission(mission: Mission, generated_at: str, repository: str | None = None, version: str | None = None) -> Document:
    """The envelope of a mission. `repository`: base name of the repository's directory (G55).

    Raises: Refused: no `generated_at`, or a wave with a feature that is not the mission's.
    """
    building = Building(generated_at, repository, version)
    top = _mission(building, mission)
    features = {feature.id: _feature(building, mission, top, feature) for feature in mission.features}
    for join in mission.joins:
        _join(building, mission, top, join, features)
    return building.envelope()


def mission_file(envelope: Document) -> bytes:
    """The content of `mission-graph.json` (G59)."""
    return (json.dumps(read_json(canonical_json(envelope)), ensure_ascii=False, indent=2) + "\n").encode()


def read_mission_file(content: bytes) -> Document:
    """An envelope from such a file (G60). Raises: Refused: over 1 MiB, no JSON, or not portable."""
    if len(content) > MOST_BYTES:
        raise Refused("body_too_large", "")
    found = read_json(content)
    validate(found, Profile.PORTABLE)
    checked: Document = found
    return checked


def _mission(building: Building, mission: Mission) -> Reference:
    name = f"mission/{mission.id}"
    attributes = {
        "entity_type": "mission",
        "status": mission.status,
        "feature_count": str(len(mission.features)),
        "wave_count": str(len(mission.joins)),
        "prompt_sha256": sha256_hex(mission.prompt),
    }
    times = {"created_at": mission.started_at, "effective_at": mission.completed_at}
    top = building.node(Reference("execution", f"rho/{name}"), mission.id, f"rho://{name}", attributes, **times)
    building.life(name, top, mission.id, mission.started_at)
    if mission.completed_at:
        building.changed(name, top, mission.id, mission.status, mission.completed_at)
    return top


def _feature(building: Building, mission: Mission, top: Reference, feature: Feature) -> Reference:
    name = f"mission-feature/{mission.id}/{feature.id}"
    attributes = {
        "entity_type": "mission_feature",
        "status": feature.status,
        "description_sha256": sha256_hex(feature.description),
        "expected_behavior_sha256": sha256_hex(feature.expected_behavior),
        "branch_sha256": sha256_hex(feature.branch),
        "tests_passed": yes_no(feature.tests_passed),
    }
    created = feature.started_at or feature.completed_at or mission.started_at
    found = building.node(
        Reference("execution", f"rho/{name}"),
        feature.id,
        f"rho://mission/{mission.id}/feature/{feature.id}",
        attributes,
        created_at=created,
        effective_at=feature.completed_at,
    )
    id = f"rho/edge/mission/{mission.id}/contains/{feature.id}"
    building.edge(id, "contains", top, found, {"entity_type": "mission_membership"}, created_at=created)
    building.observed(name, found, feature.completed_at or created, mission.id, f"/{feature.status}")
    return found


def _join(building: Building, mission: Mission, top: Reference, join: Join, features: dict[str, Reference]) -> None:
    name = f"mission-wave/{mission.id}/{join.wave}"
    attributes = {
        "entity_type": "wave_join",
        "wave": str(join.wave),
        "feature_count": str(len(join.features)),
        "completed_count": str(len(join.completed)),
        "failed_count": str(len(join.failed)),
        "blocked_count": str(len(join.blocked)),
        "status": join.status,
        "summary_sha256": sha256_hex(join.summary),
    }
    found = building.node(
        Reference("operations", f"rho/{name}"),
        str(join.wave),
        f"rho://mission/{mission.id}/wave/{join.wave}",
        attributes,
        created_at=join.started_at,
        effective_at=join.joined_at,
    )
    edge = f"rho/edge/mission/{mission.id}/produced-wave/{join.wave}"
    building.edge(edge, "produced", top, found, {"entity_type": "wave_join_produced"}, created_at=join.started_at)
    for id in join.features:
        target = features.get(id)
        if target is None:
            raise Refused("unknown_feature", task=id)
        building.edge(
            f"rho/edge/{name}/contains/{id}", "contains", found, target, {"entity_type": "wave_membership"}, created_at=join.started_at
        )
    building.observed(name, found, join.joined_at, mission.id)


def features_of_waves(waves: Sequence[Sequence[str]], known: Collection[str]) -> tuple[str, ...]:
    """The features in the order of waves (G72.1). Raises: Refused: none at all, or one that is not known (G72.4)."""
    found = tuple(id for wave in waves for id in wave)
    if not found:
        raise Refused("empty_graph")
    for id in found:
        if id not in known:
            raise Refused("unknown_feature", task=id)
    return found
