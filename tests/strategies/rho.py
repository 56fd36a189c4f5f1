"""Generated Rho envelopes and task lists."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import strategies as st

from app.domain.rho.vocabulary import EDGE_KINDS, EVENT_TYPES, NODE_KINDS

Fields = dict[str, Any]

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(lambda text: f"x{text}")
KEYS = st.one_of(
    TEXTS, st.sampled_from(["model", "File_Path", "message_count", "prompt_tokens", "sast_source", "note", "ſecret", "Kommit"])
)
STATES = ("pending", "in_progress", "reviewing", "completed", "failed", "skipped", "cancelled")


@st.composite
def times(draw: st.DrawFn) -> str:
    """A timestamp in any spelling that is allowed, the zero instant left out."""
    day = draw(st.dates(min_value=date(2, 1, 1), max_value=date(9998, 12, 31)))
    clock = f"{draw(st.integers(0, 23)):02d}:{draw(st.integers(0, 59)):02d}:{draw(st.integers(0, 59)):02d}"
    digits = draw(st.text("0123456789", max_size=9))
    offset = draw(
        st.one_of(st.just("Z"), st.builds("{}{:02d}:{:02d}".format, st.sampled_from("+-"), st.integers(0, 23), st.integers(0, 59)))
    )
    return f"{day.isoformat()}T{clock}{'.' if digits else ''}{digits}{offset}"


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Fields]:
    """Any of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


SCOPES = optional(project_id=TEXTS, repository_id=TEXTS)
EVIDENCE = st.fixed_dictionaries({"uri": IDS}, optional={"digest": TEXTS, "media_type": TEXTS})
PROVENANCE = st.fixed_dictionaries(
    {"producer": IDS}, optional={"version": TEXTS, "source_id": TEXTS, "evidence": st.lists(EVIDENCE, max_size=2)}
)
ATTRIBUTES = st.dictionaries(KEYS, TEXTS, max_size=4).map(
    lambda found: {key: text for key, text in found.items() if key != "data_classification"}
)


@st.composite
def envelopes(draw: st.DrawFn, max_facts: int = 5) -> Fields:
    """A document that is valid by the portable profile."""
    ids = draw(st.lists(IDS, unique=True, max_size=max_facts))
    kinds = {id: draw(st.sampled_from(sorted(NODE_KINDS))) for id in ids}

    def described() -> Fields:
        return draw(optional(scope=SCOPES, effective_at=st.one_of(times(), st.just("0001-01-01T00:00:00Z")), attributes=ATTRIBUTES)) | {
            "created_at": draw(times()),
            "provenance": draw(PROVENANCE),
        }

    def reference() -> Fields:
        id = draw(st.sampled_from(ids))
        return {"id": id, "kind": kinds[id]}

    edges = draw(st.lists(IDS, unique=True, max_size=max_facts)) if ids else []
    events = draw(st.lists(IDS, unique=True, max_size=max_facts)) if ids else []
    return draw(optional(scope=SCOPES)) | {
        "schema_version": "rho.graph/v1",
        "generated_at": draw(times()),
        "nodes": [{"id": id, "kind": kinds[id], **described()} for id in ids],
        "edges": [
            {"id": id, "kind": draw(st.sampled_from(sorted(EDGE_KINDS))), "from": reference(), "to": reference(), **described()}
            for id in edges
        ],
        "events": [
            {
                "id": id,
                "type": draw(st.sampled_from(sorted(EVENT_TYPES))),
                "subject": reference(),
                "occurred_at": draw(times()),
                "provenance": draw(PROVENANCE),
                **draw(optional(scope=SCOPES, correlation_id=TEXTS, causation_id=TEXTS, idempotency_key=TEXTS)),
            }
            for id in events
        ],
    }


@st.composite
def task_lists(draw: st.DrawFn, max_tasks: int = 9, *, acyclic: bool = False) -> list[Fields]:
    """Tasks that are valid but for circles, which `acyclic` leaves out."""
    ids = draw(st.lists(st.integers(0, 30).map(lambda n: f"task_{n}"), unique=True, max_size=max_tasks))
    tasks = []
    for place, id in enumerate(ids):
        others = ids[:place] if acyclic else [other for other in ids if other != id]
        blocking = draw(st.lists(st.sampled_from(others), max_size=3)) if others else []
        dependencies = [{"targetId": target, "type": "blocks"} for target in blocking]
        if draw(st.booleans()):
            dependencies.append({"targetId": draw(st.sampled_from([*ids, "ghost"])), "type": "related"})
        tasks.append({"id": id, "status": draw(st.sampled_from(STATES)), "dependencies": dependencies})
    return list(draw(st.permutations(tasks)))
