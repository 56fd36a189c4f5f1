"""The words of Rho graphs as enums: the upper-case forms of G15, G18, G21 and of what M2 and G25 name."""

from __future__ import annotations

from enum import Enum

import strawberry


@strawberry.enum(description="What a Rho graph is about.")
class RhoSubjectKind(Enum):
    SESSION = strawberry.enum_value("session", description="A session.")
    MISSION = strawberry.enum_value("mission", description="A mission.")
    OTHER = strawberry.enum_value("other", description="Nothing in particular.")


@strawberry.enum(description="By which rules a document is judged.")
class RhoProfile(Enum):
    PORTABLE = strawberry.enum_value("portable", description="Local documents.")
    CLOUD = strawberry.enum_value("cloud", description="What is uploaded: closed, bounded, private.")


@strawberry.enum(description="Kinds of nodes.")
class RhoNodeKind(Enum):
    SYSTEM = strawberry.enum_value("system", description="Parts of a system.")
    KNOWLEDGE = strawberry.enum_value("knowledge", description="What was looked up.")
    EXECUTION = strawberry.enum_value("execution", description="Sessions, agents, tasks, calls, missions.")
    POLICY = strawberry.enum_value("policy", description="Verdicts: what was allowed.")
    QUALITY = strawberry.enum_value("quality", description="Results of checks.")
    OPERATIONS = strawberry.enum_value("operations", description="Models, tokens, waves of missions.")


@strawberry.enum(description="Kinds of edges.")
class RhoEdgeKind(Enum):
    CONTAINS = strawberry.enum_value("contains", description="Hierarchy.")
    DEPENDS_ON = strawberry.enum_value("depends_on", description="Blocked by, or derived from.")
    REFERENCES = strawberry.enum_value("references", description="Has to do with.")
    PRODUCED = strawberry.enum_value("produced", description="Led to.")
    GOVERNED_BY = strawberry.enum_value("governed_by", description="A verdict applies to it.")
    VALIDATED_BY = strawberry.enum_value("validated_by", description="A check's result applies to it.")


@strawberry.enum(description="Types of events.")
class RhoEventType(Enum):
    CREATED = strawberry.enum_value("created", description="It came about.")
    UPDATED = strawberry.enum_value("updated", description="It was changed.")
    TRANSITIONED = strawberry.enum_value("transitioned", description="It went into another state.")
    OBSERVED = strawberry.enum_value("observed", description="It was seen.")
    DELETED = strawberry.enum_value("deleted", description="It was taken away.")
