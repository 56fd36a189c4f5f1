"""One catalogue of what can go wrong: a class with a code; each door has one table from class to its own form (Q40, R5)."""

from __future__ import annotations

from typing import NamedTuple

from app.domain.times import rfc_3339


class Problem(Exception):  # noqa: N818 - the field's word: what a caller is told, not a fault of the program
    """Something that a caller is told. `code` is GraphQL's (Q40); `extra` goes beside it in `extensions`."""

    code = "INTERNAL"

    def __init__(self, message: str, **extra: object) -> None:
        super().__init__(message)
        self.message = message
        self.extra = {name: value for name, value in extra.items() if value is not None}


class Unauthenticated(Problem):
    """No valid key or login (R8, R9)."""

    code = "UNAUTHENTICATED"

    def __init__(self, message: str = "A valid API key is needed: send it as Authorization: Bearer <key>.") -> None:
        super().__init__(message)


class Forbidden(Problem):
    """The key is valid, but may not do this (R10, O17)."""

    code = "FORBIDDEN"


class NotFound(Problem):
    """No such thing for this caller; another account's is the same (R10, Q41)."""

    code = "NOT_FOUND"


class NoSuchEvent(NotFound):
    """The graph holds no such event (R25, R60)."""

    def __init__(self) -> None:
        super().__init__("No such event.")


class NoSuchNode(NotFound):
    """There is no such node at that moment (R45)."""

    def __init__(self) -> None:
        super().__init__("No such node.")


class NodeNotYetCreated(Problem):
    """The node comes about only later than the moment asked for (R46)."""

    code = "NODE_NOT_YET_CREATED"

    def __init__(self, first_event_id: str) -> None:
        super().__init__(f"At that moment the node was not there yet: its first event is {first_event_id}.", firstEventId=first_event_id)


class Span(NamedTuple):
    """What a graph holds: its first and its newest event, by public id and time (Unix ms)."""

    first_event_id: str
    first_ms: int
    last_event_id: str
    last_ms: int


class OutsideRetentionWindow(Problem):
    """The moment or event lies before what the graph still holds (R25-R27). Without `held` it holds no events."""

    code = "OUTSIDE_RETENTION_WINDOW"

    def __init__(self, held: Span | None = None) -> None:
        if held is None:
            super().__init__("The graph holds no events.")
            return
        first, last = f"{held.first_event_id} of {rfc_3339(held.first_ms)}", f"{held.last_event_id} of {rfc_3339(held.last_ms)}"
        super().__init__(
            f"The graph holds no event that early: its first is {first}, its newest {last}.",
            firstEventId=held.first_event_id,
            lastEventId=held.last_event_id,
        )


class BadUserInput(Problem):
    """A value of the wrong form or out of bounds; `argument` names it by its path (Q40)."""

    code = "BAD_USER_INPUT"

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(message, argument=argument)


class SearchQueryInvalid(Problem):
    """A search that cannot be read (R52, R53); `position` counts its characters from 0."""

    code = "SEARCH_QUERY_INVALID"

    def __init__(self, argument: str, message: str, position: int) -> None:
        super().__init__(f"{message} (at position {position})", argument=argument, position=position)


class CursorInvalid(Problem):
    """A cursor of another list, or one that cannot be read (Q15)."""

    code = "CURSOR_INVALID"


class TooComplex(Problem):
    """More than the limits allow (Q36)."""

    code = "QUERY_TOO_COMPLEX"

    def __init__(self, message: str, cost: int, limit: int) -> None:
        super().__init__(message, cost=cost, limit=limit)


class StoreUnavailable(Problem):
    """The graph database does not answer (O30)."""

    code = "STORE_UNAVAILABLE"

    def __init__(self, message: str = "The graph database does not answer at the moment. Try again shortly.", retry_after: int = 1) -> None:
        super().__init__(message, retryAfter=retry_after)


class DeadlineExceeded(Problem):
    """The work took longer than it may (Q38)."""

    code = "DEADLINE_EXCEEDED"

    def __init__(self, message: str = "This took longer than allowed and was stopped.") -> None:
        super().__init__(message)


class WriteTokenWrong(Problem):
    """The write token of a share is missing or wrong (I3, I5)."""

    code = "UNAUTHENTICATED"

    def __init__(self) -> None:
        super().__init__("This write token is missing or wrong.")  # a producer looks for the words "write token" (I20)


class ShareGone(Problem):
    """There is no such share, or no longer (I5, I25)."""

    code = "NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("There is no such share, or it was deleted.")


class ChunkRefused(Problem):
    """A chunk that does not go on where the log ends, or differs from the one that came at its offset (I5, I6)."""

    code = "BAD_REQUEST"


class TooFar(Problem):
    """A chunk further from the beginning of its log than a log may span (I5, I8)."""

    code = "BAD_REQUEST"

    def __init__(self) -> None:
        super().__init__("A log spans 64 MiB from its first kept chunk: ask for a trim, or start a new share.")
