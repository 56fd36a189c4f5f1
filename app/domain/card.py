"""What moves with a graph beside its events (O37)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

_Id = Annotated[str, msgspec.Meta(pattern=r"^gph_[A-Za-z0-9]{12}\Z")]
_Account = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}\Z")]
_Ms = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_Kept = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A graph's id and account, what it is called, how it came, when it was made (Unix ms), and how many events it keeps (R67).

    `retention_events` 0 keeps all, None is the server's setting.
    """

    id: _Id
    account: _Account
    title: str | None
    source: Literal["watch", "paste", "upload"]
    created: _Ms
    retention_events: _Kept | None
