"""Write tokens: each opens one share to whoever holds it (I3), and none is stored (I38)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from typing import Final

from app.domain.problems import WriteTokenWrong
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.server_secret import server_secret

PREFIX: Final = "wt_"
_NAME: Final = "write-tokens"


class WriteTokens:
    """An HMAC of the log id under a secret that all processes on a store share: it ends with the graph or the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._secret: bytes | None = None

    async def of(self, graph_id: str, deadline: Deadline) -> str:
        """The token of a share."""
        if self._secret is None:
            self._secret = (await server_secret(self._store, _NAME, secrets.token_urlsafe(32), deadline)).encode()
        signed = hmac.digest(self._secret, graph_id.encode(), hashlib.sha256)
        return PREFIX + urlsafe_b64encode(signed).rstrip(b"=").decode()

    async def check(self, graph_id: str, token: str | None, deadline: Deadline) -> None:
        """Compares in constant time, and looks nothing up (I5). Raises: WriteTokenWrong."""
        if not hmac.compare_digest((await self.of(graph_id, deadline)).encode(), (token or "").encode("utf-8", "surrogateescape")):
            raise WriteTokenWrong
