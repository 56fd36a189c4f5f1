"""Who waits for whom: chains and loops of waits (Q8, Q9), walked in memory over a graph's nodes at one moment.

`blocked_on` of a row names the targets of its active waits, and is there only for unfinished nodes: so it is the edge of every walk here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from app.domain.forest import FINISHED, Forest, ShownRow


def chain(forest: Forest, ref: str, levels: int) -> list[ShownRow]:
    """The unfinished nodes that `ref` waits for in the end, breadth first, at most `levels` steps away (Q9)."""
    by_ref, children = forest.by_ref, forest.children
    seen = {ref}
    found: list[ShownRow] = []
    level = _present(forest, by_ref[ref].get("blocked_on") or (), seen) if ref in by_ref else []
    while level and levels > 0:
        found += [row for row in level if row["state"] not in FINISHED]
        levels -= 1
        following: list[ShownRow] = []
        for row in level:
            following += _present(forest, [child["ref"] for child in children.get(row["ref"], ())], seen)
            following += _present(forest, row.get("blocked_on") or (), seen)
        level = following
    return found


def waiters(forest: Forest) -> dict[str, list[ShownRow]]:
    """For each ref that some active wait names, the nodes that wait on it, by ref, each once (Q8)."""
    found: dict[str, list[ShownRow]] = {}
    for row in sorted(forest.rows, key=lambda row: by_code_unit(row["ref"])):
        for target in dict.fromkeys(row.get("blocked_on") or ()):
            found.setdefault(target, []).append(row)
    return found


def cycle(forest: Forest, ref: str) -> list[ShownRow] | None:
    """The shortest loop of waits and children through `ref`, beginning with it; of equal ones that with the smallest refs (Q8)."""
    by_ref, children = forest.by_ref, forest.children
    start = by_ref.get(ref)
    if start is None or not start.get("blocked_on"):
        return None

    def onward(row: ShownRow) -> Iterable[str]:
        waits = [target for target in row.get("blocked_on") or () if target in by_ref]
        return {*waits, *(child["ref"] for child in children.get(row["ref"], ()))} if row is not start else set(waits)

    return _shortest(start, onward, by_ref.__getitem__)


def cycles(forest: Forest, most: int) -> list[list[ShownRow]] | None:
    """The loops of all nodes, each once, turned to begin with its smallest ref, sorted by their refs (Q8). None: more than `most`."""
    found: dict[tuple[bytes, ...], list[ShownRow]] = {}
    for row in forest.rows:
        loop = cycle(forest, row["ref"]) if row.get("blocked_cycle") else None
        if loop is None:
            continue
        keys = [by_code_unit(each["ref"]) for each in loop]
        first = keys.index(min(keys))
        found[tuple(keys[first:] + keys[:first])] = loop[first:] + loop[:first]
        if len(found) > most:
            return None
    return [found[key] for key in sorted(found)]


def by_code_unit(text: str) -> bytes:
    """What strings sort by: their UTF-16 code units (R35)."""
    return text.encode("utf-16-be", "surrogatepass")


def _present(forest: Forest, refs: Iterable[str], seen: set[str]) -> list[ShownRow]:
    found = []
    for ref in refs:
        if ref not in seen and ref in forest.by_ref:
            seen.add(ref)
            found.append(forest.by_ref[ref])
    return found


def _shortest(start: ShownRow, onward: Callable[[ShownRow], Iterable[str]], row_of: Callable[[str], ShownRow]) -> list[ShownRow] | None:
    """Breadth first, a level at a time in the order of the paths that lead there: the first way back is the smallest of the shortest.

    Within a level nodes are in the order of their best paths, and each node's next ones in order of ref: so every node is first reached
    by the smallest of its shortest paths.
    """
    home = start["ref"]
    came_from: dict[str, str] = {}
    level = [start]
    while level:
        following: list[ShownRow] = []
        for row in level:
            for ref in sorted(onward(row), key=by_code_unit):
                if ref == home:
                    return _path(came_from, row["ref"], home, row_of)
                if ref not in came_from:
                    came_from[ref] = row["ref"]
                    following.append(row_of(ref))
        level = following
    return None


def _path(came_from: dict[str, str], last: str, home: str, row_of: Callable[[str], ShownRow]) -> list[ShownRow]:
    path = []
    while last != home:
        path.append(row_of(last))
        last = came_from[last]
    return [row_of(home), *reversed(path)]
