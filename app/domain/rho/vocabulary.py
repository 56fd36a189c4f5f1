"""The words of `rho.graph/v1` (G15, G18, G19, G21) and its fields (G1, G5-G10)."""

from __future__ import annotations

import re

SCHEMA_VERSION = "rho.graph/v1"
ANY_PRODUCER = re.compile(r"[a-z0-9-]+\.graph/v1")
"""What the cloud profile takes for a schema version (G2)."""

NODE_KINDS = frozenset({"system", "knowledge", "execution", "policy", "quality", "operations"})
EDGE_KINDS = frozenset({"contains", "depends_on", "references", "produced", "governed_by", "validated_by"})
EVENT_TYPES = frozenset({"created", "updated", "transitioned", "observed", "deleted"})

USUAL_ENDS = frozenset(
    {
        ("contains", "execution", "execution"),
        ("contains", "operations", "execution"),
        ("contains", "quality", "quality"),
        ("depends_on", "execution", "execution"),
        ("depends_on", "operations", "operations"),
        ("depends_on", "policy", "operations"),
        ("references", "execution", "execution"),
        ("references", "execution", "knowledge"),
        ("produced", "execution", "operations"),
        ("produced", "execution", "execution"),
        ("governed_by", "execution", "policy"),
        ("validated_by", "execution", "quality"),
    }
)
"""Edges that join what they usually join: kind, kind of source, kind of target (G19)."""

CLASSIFICATION = "data_classification"
METADATA_ONLY = "metadata_only"

ARRAYS = ("nodes", "edges", "events")
ENVELOPE_FIELDS = frozenset({"schema_version", "generated_at", "scope", "nodes", "edges", "events", "query_sha256"})
NODE_FIELDS = frozenset({"id", "kind", "created_at", "provenance", "scope", "effective_at", "attributes"})
EDGE_FIELDS = NODE_FIELDS | {"from", "to"}
EVENT_FIELDS = frozenset(
    {"id", "type", "subject", "occurred_at", "provenance", "scope", "correlation_id", "causation_id", "idempotency_key"}
)
REFERENCE_FIELDS = frozenset({"kind", "id"})
SCOPE_BOUNDS = {"tenant_id": 128, "project_id": 128, "repository_id": 256}
PROVENANCE_BOUNDS = {"producer": 100, "version": 100, "source_id": 256}
EVIDENCE_BOUNDS = {"uri": 2_048, "digest": 256, "media_type": 128}
EVENT_BOUNDS = {"correlation_id": 256, "causation_id": 256, "idempotency_key": 256}
"""Optional texts and how long the cloud profile lets them be, in UTF-16 code units (G30)."""

SCOPE_FIELDS, EVIDENCE_FIELDS = frozenset(SCOPE_BOUNDS), frozenset(EVIDENCE_BOUNDS)
PROVENANCE_FIELDS = frozenset(PROVENANCE_BOUNDS) | {"evidence"}

MOST_ID = 256
MOST_EVIDENCE = 16
MOST_KEY, MOST_VALUE, MOST_ATTRIBUTES = 64, 512, 64
"""Bounds of attributes (G39)."""

CAPS = {"nodes": 250, "edges": 500, "events": 500}
MOST_FACTS = 900
MOST_BYTES = 1_048_576
"""One mebibyte: an upload, a mission file, a document imported from a file (G44, G60, M8)."""

TIMES = {"nodes": ("created_at", "effective_at"), "edges": ("created_at", "effective_at"), "events": ("occurred_at",)}
