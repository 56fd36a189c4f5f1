"""Logs: one structured line for each thing worth telling, never a key and never what agents wrote (O21, O28)."""

from __future__ import annotations

import logging
import sys
from typing import Any, Literal, TextIO, cast

import orjson
import structlog

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR, "critical": logging.CRITICAL}


def set_up_logs(form: Literal["console", "json"], level: str) -> None:
    """Sends the program's own log lines, and warnings of its libraries, to standard error."""
    least = _LEVELS[level.lower()]
    json_form = form == "json"
    shared: list[Any] = [structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True)]
    renderer: Any = structlog.processors.JSONRenderer(serializer=_json)
    if not json_form:
        renderer = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), sort_keys=False, exception_formatter=structlog.dev.plain_traceback
        )
    formatting = [structlog.processors.format_exc_info] if json_form else []
    structlog.configure(
        processors=[*shared, *formatting, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", _StandardError())),
    )
    handler = logging.StreamHandler(cast("TextIO", _StandardError()))
    remove_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    formatter = structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[remove_meta, *formatting, renderer])
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(least, logging.WARNING))


class _StandardError:
    """Standard error as it is when a line is written: whoever runs us may put another in its place."""

    def write(self, text: str) -> None:
        sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def _json(event: Any, **_: Any) -> str:
    return orjson.dumps(event, default=str).decode()
