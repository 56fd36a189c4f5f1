"""Who asks, and what this server is."""

from __future__ import annotations

import strawberry
from strawberry.types import Info

from app.graphql.context import Context
from app.graphql.types.enums import KeyScope
from app.graphql.types.keys import ApiKey


@strawberry.type(description="Who is asking, and what they may do.")
class Viewer:
    account: str = strawberry.field(description="Whose graphs they see.")
    scopes: list[KeyScope] = strawberry.field(description="What they may do.")

    @strawberry.field(description="The key that asks; null for a page's login.")
    async def key(self, info: Info[Context, None]) -> ApiKey | None:
        context = info.context
        row = await context.services.keys.find(context.viewer, context.deadline)
        return None if row is None else ApiKey.of(row)

    @strawberry.field(description="The account's keys, newest first; null without the scope ADMIN.")
    async def keys(self, info: Info[Context, None]) -> list[ApiKey] | None:
        context = info.context
        if not context.viewer.may("admin"):
            return None
        return [ApiKey.of(row) for row in await context.services.keys.of_account(context.viewer, context.deadline)]


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
