"""Enums. Their values are the words of the store and of REST."""

from __future__ import annotations

from enum import Enum

import strawberry


@strawberry.enum(description="How a graph came here.")
class GraphSource(Enum):
    WATCH = strawberry.enum_value("watch", description="A live share: a producer sends its events as they happen.")
    PASTE = strawberry.enum_value("paste", description="A log that was pasted.")
    UPLOAD = strawberry.enum_value("upload", description="A log that was uploaded.")


@strawberry.enum(description="What a node is.")
class NodeKind(Enum):
    SESSION = strawberry.enum_value("session", description="A conversation of its own with an agent tool.")
    AGENT = strawberry.enum_value("agent", description="An agent that works inside a session.")


@strawberry.enum(description="What a node is doing.")
class NodeState(Enum):
    WORKING = strawberry.enum_value("working", description="At work.")
    INPUT_REQUIRED = strawberry.enum_value("input_required", description="Waits for a person; `attention` says for what.")
    IDLE = strawberry.enum_value("idle", description="Has nothing to do at the moment.")
    COMPLETED = strawberry.enum_value("completed", description="Finished its work.")
    FAILED = strawberry.enum_value("failed", description="Ended with an error.")
    CANCELED = strawberry.enum_value("canceled", description="Was stopped.")


@strawberry.enum(description="Orders of nodes. A filter keeps the order.")
class NodeOrder(Enum):
    NEWEST = strawberry.enum_value("newest", description="By `created`, latest first; equal ones by `providerRef`.")
    TREE = strawberry.enum_value("tree", description="Each root followed by what is under it; siblings oldest first.")
    ACTIVITY = strawberry.enum_value("activity", description="By `lastEvent`, latest first; equal ones by `id`.")


@strawberry.enum(description="Orders of events and versions.")
class EventOrder(Enum):
    DESC = strawberry.enum_value("desc", description="Newest first.")
    ASC = strawberry.enum_value("asc", description="Oldest first.")


@strawberry.enum(description="How far a task is.")
class TaskStatus(Enum):
    PENDING = strawberry.enum_value("pending", description="Not begun.")
    IN_PROGRESS = strawberry.enum_value("in_progress", description="Being done.")
    COMPLETED = strawberry.enum_value("completed", description="Done.")


@strawberry.enum(description="Why a node waits.")
class WaitKind(Enum):
    SPAWN = strawberry.enum_value("spawn", description="For a child that it started in the foreground.")
    EXPLICIT = strawberry.enum_value("explicit", description="It said so.")


@strawberry.enum(description="Which way a message went.")
class MessageDirection(Enum):
    SENT = strawberry.enum_value("sent", description="From this node to its peer.")
    RECEIVED = strawberry.enum_value("received", description="From the peer to this node.")


@strawberry.enum(description="What a key may do; none includes another.")
class KeyScope(Enum):
    READ = strawberry.enum_value("read", description="Read graphs.")
    WRITE = strawberry.enum_value("write", description="Make graphs and take in events.")
    ADMIN = strawberry.enum_value("admin", description="Manage keys, delete graphs.")
