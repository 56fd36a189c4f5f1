"""Which errors of the driver mean what: one table for reads, writes and the start (O25, O30)."""

from __future__ import annotations

from neo4j.exceptions import (
    AuthError,
    ConnectionAcquisitionTimeoutError,
    DatabaseUnavailable,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from app.domain.problems import DeadlineExceeded, StoreUnavailable

DRIVER_ERRORS = (DriverError, Neo4jError)

_GONE = (ServiceUnavailable, SessionExpired, ConnectionAcquisitionTimeoutError, DatabaseUnavailable, AuthError)


def is_gone(error: Exception) -> bool:
    """Whether the store as a whole does not answer: down, starting, cut off, or no longer taking our password."""
    return isinstance(error, _GONE)


def is_timed_out(error: Exception) -> bool:
    """Whether the store stopped the statement because it ran too long."""
    return isinstance(error, Neo4jError) and "TransactionTimedOut" in (error.code or "")


def translated(error: Exception) -> Exception:
    """The problem that a caller is told, or the error itself where it is a fault of a statement."""
    if is_timed_out(error):
        return DeadlineExceeded()
    if is_gone(error) or is_retryable(error):
        return StoreUnavailable()
    return error


def is_retryable(error: Exception) -> bool:
    """Whether the same work may succeed if tried again: the driver's own judgement, and where no connection was had in time."""
    return isinstance(error, ConnectionAcquisitionTimeoutError) or (isinstance(error, DRIVER_ERRORS) and error.is_retryable())
