"""Who asks, and what this server is."""

from __future__ import annotations

import strawberry

from app.graphql.types.enums import KeyScope


@strawberry.type(description="Who is asking, and what they may do.")
class Viewer:
    account: str = strawberry.field(description="Whose graphs they see.")
    scopes: list[KeyScope] = strawberry.field(description="What they may do.")


@strawberry.type(name="Limits", description="The limits in force.")
class ServerLimits:
    page_size: int = strawberry.field(description="The most that `first` or `last` may be.")
    descendants_page_size: int = strawberry.field(description="The same for `descendants`.")
    depth: int = strawberry.field(description="The deepest operation.")
    aliases: int = strawberry.field(description="The most aliases in an operation.")
    tokens: int = strawberry.field(description="The most tokens in a document.")
    node_budget: int = strawberry.field(description="The most objects that an operation may gather.")
    body_bytes: int = strawberry.field(description="The largest request body, in bytes.")
    subscriptions_per_connection: int = strawberry.field(description="The most subscriptions on one connection.")
    subscriptions_per_key: int = strawberry.field(description="The most subscriptions with one key.")
    retention_events: int = strawberry.field(description="K: a graph that says nothing else holds its last K to 2K events; 0: all.")


@strawberry.type(description="This server.")
class Server:
    version: str = strawberry.field(description="The version of the program.")
    engine: str = strawberry.field(description="The graph database behind it.")
    api_versions: list[str] = strawberry.field(description="Versions of the REST contract that it answers in.")
    limits: ServerLimits = strawberry.field(description="The limits in force.")
