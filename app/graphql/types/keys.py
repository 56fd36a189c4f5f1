"""Keys, as their account sees them: never the key itself (R9)."""

from __future__ import annotations

from typing import cast

import strawberry

from app.graphql.types.enums import KeyScope
from app.graphql.types.scalars import Timestamp
from app.store.access import KeyRow


@strawberry.type(description="A key, without what makes it one.")
class ApiKey:
    id: strawberry.ID = strawberry.field(description="Of its record: what revokes it.")
    account: str = strawberry.field(description="Whose it is.")
    name: str = strawberry.field(description="What people call it.")
    scopes: list[KeyScope] = strawberry.field(description="What it may do.")
    graph_ids: list[strawberry.ID] | None = strawberry.field(description="The only graphs that it may use; null: all of the account.")
    shown: str = strawberry.field(description="Its first and last characters.")
    created: Timestamp = strawberry.field(description="When it was made.")
    last_used: Timestamp | None = strawberry.field(description="When it was last used, to the day; null if never.")
    expires: Timestamp | None = strawberry.field(description="When it ends by itself; null: never.")

    @classmethod
    def of(cls, row: KeyRow) -> ApiKey:
        """A key's record, shown."""
        return cls(
            id=strawberry.ID(row.id),
            account=row.account,
            name=row.name,
            scopes=[scope for scope in KeyScope if str(scope.value) in row.scopes],
            graph_ids=cast("list[strawberry.ID] | None", row.graph_ids),
            shown=row.shown,
            created=Timestamp(row.created),
            last_used=None if row.last_used is None else Timestamp(row.last_used),
            expires=None if row.expires is None else Timestamp(row.expires),
        )


@strawberry.type(description="A key that was made.")
class CreateKeyPayload:
    key: ApiKey = strawberry.field(description="Its record.")
    secret: str = strawberry.field(description="The key itself. It is shown this once: only its hash is kept.")


@strawberry.type(description="A key that was revoked.")
class RevokeKeyPayload:
    id: strawberry.ID = strawberry.field(description="Its id.")
