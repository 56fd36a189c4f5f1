"""Keys of rows: hashes, since refs can be long and an index entry cannot (every part counts with its length)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b

from app.domain.rows import Cell

_LETTERS = {"node": "n", "task": "t", "spawn": "s", "wait": "w", "message": "m", "parent": "p", "waits_on": "e"}


def digest(*parts: str | int) -> str:
    """16 bytes of blake2b over the parts, each with its length, as 32 hex characters."""
    hashed = blake2b(digest_size=16)
    for part in parts:
        hashed.update(_counted(part))
    return hashed.hexdigest()


def digests(*parts: str | int) -> Callable[[str], str]:
    """What gives `digest` of these parts and one more: the former are hashed once for many."""
    begun = blake2b(digest_size=16)
    for part in parts:
        begun.update(_counted(part))

    def one(last: str) -> str:
        hashed = begun.copy()
        hashed.update(_counted(last))
        return hashed.hexdigest()

    return one


def _counted(part: str | int) -> bytes:
    data = str(part).encode("utf-8", "surrogatepass")
    return b"%d:%b" % (len(data), data)


def generation_key(graph_id: str, generation: int) -> str:
    """`g`: the key under which a graph's generation keeps its rows."""
    return digest(graph_id, generation)


@lru_cache(maxsize=131_072)
def cell_key(g: str, cell: Cell) -> str:
    """The key of a thing: of a node by its ref alone, of the rest by ref and position."""
    letter = _LETTERS[cell.kind]
    return digest(g, letter, cell.ref) if cell.kind in ("node", "parent") else digest(g, letter, cell.ref, cell.position)


def node_key(g: str, ref: str) -> str:
    """The key of a node."""
    return cell_key(g, Cell("node", ref))


def since_key(key: str, since: int) -> str:
    """The key of one state or edge of a thing: sorts by place within the thing (49 characters)."""
    return f"{key}|{since:016d}"


def event_key(g: str, own_id: str) -> str:
    """The key of an event, by its own id."""
    return digest(g, "event", own_id)


def mirror_key(rho_id: str) -> str:
    """The key under which a session or an agent is found by the id that Rho graphs give it (M12); the same in every account."""
    return digest("rho", rho_id)
