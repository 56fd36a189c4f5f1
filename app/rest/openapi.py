"""The API as an OpenAPI 3.1 document, made of the tables that the door itself works by."""

from __future__ import annotations

from typing import Any, Final

import orjson

from app.rest.about import about
from app.rest.expand import MOST_PATHS
from app.rest.grammar import BOUNDS, Boolean, Bounds, Choice, Integer, Kind, Many, Text
from app.rest.operations import OPERATIONS, Operation
from app.rest.schemas import FLAG, NUMBER, SCHEMAS, TEXT, Schema, one_of, ref
from app.rest.urls import BASE
from app.services.viewer import CONTRACT_VERSION

_GRAPH_ID: Final = "^(gph_)?[0-9A-Za-z]{12}$"
_NODE_ID: Final = "^node_[A-Za-z0-9_-]+$"
_EVENT_ID: Final = "^evt_[A-Za-z0-9]{1,64}$"

_PATTERNS: Final = {"graph_id": _GRAPH_ID, "node_id": _NODE_ID, "event_id": _EVENT_ID}

_HEADERS: Final[dict[str, Schema]] = {
    "Request-Id": TEXT,
    "Agent-Graph-Version": TEXT,
    "RateLimit-Limit": NUMBER,
    "RateLimit-Remaining": NUMBER,
    "RateLimit-Reset": NUMBER,
    "ETag": TEXT,
}

_OF_ONE_GRAPH: Final = ("403", "404", "410")

_TOLD: Final = {
    "304": "Nothing has changed since the answer with the given ETag.",
    "400": "A parameter, or the version, cannot be used.",
    "401": "There is no valid key.",
    "403": "The key is for other graphs.",
    "404": "There is no such thing for this key.",
    "410": "Older than what the graph still holds.",
    "429": "Too many requests with this key.",
    "500": "Something went wrong here.",
}


def print_openapi() -> str:
    """The document as JSON text."""
    return orjson.dumps(openapi(), option=orjson.OPT_INDENT_2).decode()


def openapi() -> dict[str, Any]:
    """The document."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Agent Graph API", "version": CONTRACT_VERSION, "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "servers": [{"url": BASE}],
        "security": [{"bearer": []}, {"basic": []}],
        "paths": {operation.path: {"get": _operation(operation)} for operation in OPERATIONS},
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "basic": {"type": "http", "scheme": "basic", "description": "The key is the user name."},
            },
            "schemas": SCHEMAS,
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    of_graph = _OF_ONE_GRAPH if operation.in_path else ()
    found = {
        "description": operation.summary + ".",
        "headers": {name: {"schema": schema} for name, schema in _HEADERS.items()},
        "content": {"application/json": {"schema": ref(operation.answer)}},
    }
    errors = {status: _error(status) for status in sorted(("400", "401", "429", "500", *of_graph))}
    return {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": [
            *(_in_path(name) for name in operation.in_path),
            *(_in_query(name, kind, about(operation.name, name)) for name, kind in operation.parameters.items()),
            _in_header("If-None-Match"),
            _in_header("Agent-Graph-Version"),
        ],
        "responses": {"200": found, "304": {"description": _TOLD["304"]}, **errors},
    }


def _error(status: str) -> dict[str, Any]:
    told: dict[str, Any] = {"description": _TOLD[status], "content": {"application/json": {"schema": ref("Error")}}}
    if status == "429":
        told["headers"] = {"Retry-After": {"schema": NUMBER}}
    return told


def _in_path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", "pattern": _PATTERNS[name]}}


def _in_header(name: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "schema": TEXT}


def _in_query(name: str, kind: Kind, told: str) -> dict[str, Any]:
    """A parameter. Arrays are sent as `name[]`, ranges as `name[bound]`."""
    found: dict[str, Any] = {"name": name, "in": "query", "required": name == "query", "description": told}
    match kind:
        case Bounds():
            bounds = {bound: {"type": "integer", "format": "int64"} for bound in BOUNDS}
            shape = {"type": "object", "properties": bounds, "additionalProperties": False}
            return found | {"style": "deepObject", "explode": True, "schema": shape}
        case Many():
            return found | {"name": f"{name}[]", "style": "form", "explode": True, "schema": _many(name, kind)}
        case _:
            return found | {"schema": _scalar(kind)}


def _many(name: str, kind: Many) -> Schema:
    most = MOST_PATHS if name == "expand" else kind.most
    shape: Schema = {"type": "array", "items": one_of(*kind.words) if kind.words else TEXT}
    return shape if most is None else {**shape, "maxItems": most}


def _scalar(kind: Kind) -> Schema:
    match kind:
        case Integer(low, high, default):
            bounds = {"minimum": low, "maximum": high, "default": default}
            return NUMBER | {name: value for name, value in bounds.items() if value is not None}
        case Boolean():
            return FLAG
        case Choice(words, default):
            return one_of(*words) | ({} if default is None else {"default": default})
        case Text(most, form):
            return {"type": "string", "minLength": 1, "maxLength": most} | ({"pattern": _NODE_ID} if form else {})
        case _:
            time = {"type": "integer", "format": "int64", "minimum": 0, "description": "Unix milliseconds."}
            return {"oneOf": [{"type": "string", "pattern": _EVENT_ID}, time]}
