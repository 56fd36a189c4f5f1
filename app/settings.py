"""Every setting: an `AGW_…` variable, or the same in a `.env` file; the variable wins (O15)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import SplitResult, urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from app.domain.key_form import is_key, is_secret_key

PREFIX = "AGW_"

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_WEB_SCHEMES = ("http", "https")
_BOLT_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """Where the store is and how to get in. Without `database` the server's default one is used."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is written, as a message names it: "give …"."""

    text: str


class SettingsProblem(Exception):  # noqa: N818 - told to a person, as the domain's problems are
    """A setting that cannot be used. The message is one line that names its variable."""


class WrongValue(SettingsProblem):
    """Values that are not of the form, or out of bounds: wrong usage (O14)."""


def default_data_dir() -> Path:
    """The platform's folder for user data, where nothing else is said."""
    return user_data_path("agent-graph-gateway", appauthor=False)


def _absolute(path: Path) -> Path:
    """The store runs in a folder of its own, where a relative path would mean another place."""
    return path.expanduser().absolute()


def _seconds(value: Any) -> Any:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", value.strip().lower()) if isinstance(value, str) else None
    return float(match[1]) * _UNITS[match[2] or "s"] if match else value


def _optional_seconds(value: Any) -> Any:
    return None if isinstance(value, str) and value.strip().lower() in ("off", "0") else _seconds(value)


def _a_second(value: Any) -> Any:
    return value.strip().removesuffix("/s") if isinstance(value, str) else value


def _comma_separated(value: Any) -> Any:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _origin(value: str) -> str:
    parts = _parts(value, _WEB_SCHEMES)
    if parts is None or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError("write it like https://graphs.example.org")
    return value.rstrip("/")


def _gateway(value: str) -> str:
    parts = _parts(value, _WEB_SCHEMES)
    if parts is None or parts.query or parts.fragment:
        raise ValueError("write it like http://127.0.0.1:8080")
    return value


def _bolt(value: str) -> str:
    if _parts(value, _BOLT_SCHEMES) is None:
        raise ValueError("write it like neo4j://host:7687 or bolt://host:7687")
    return value


def _parts(address: str, schemes: Sequence[str]) -> SplitResult | None:
    """The parts of an address of one of these schemes, with a host and, if any, a port that there can be."""
    try:
        parts = urlsplit(address)
        whole = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if whole and address.isprintable() and " " not in address else None


def _operator_key(value: SecretStr) -> SecretStr:
    if not is_secret_key(value.get_secret_value()):
        raise ValueError("a key is ag_sk_live_ and 32 letters or digits")
    return value


def _key(value: SecretStr) -> SecretStr:
    if not is_key(value.get_secret_value()):
        raise ValueError("a key is ag_sk_live_ or ag_rk_live_ and 32 letters or digits")
    return value


_TIMES = "seconds above 0, or a time like 90s, 10m, 2h or 30d"

Seconds = Annotated[float, BeforeValidator(_seconds), Field(gt=0, allow_inf_nan=False), Form(_TIMES)]
Origin = Annotated[str, AfterValidator(_origin)]
Count = Annotated[int, Field(ge=1)]
Bytes = Annotated[int, Field(ge=1), Form("a whole number of bytes, such as 1048576")]


class Settings(BaseSettings):
    """What can be set. Durations are seconds, or `90s`, `10m`, `2h`, `30d`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", env_ignore_empty=True, extra="ignore", populate_by_name=True)

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8080, ge=0, le=65_535, description="Port to listen on; 0 takes a free one.")
    data_dir: Annotated[Path, AfterValidator(_absolute)] = Field(
        default_factory=default_data_dir,
        description="Folder of the embedded store, the operator's key and what commands need to find a running gateway.",
    )
    public_url: Origin | None = Field(None, description="Address under which others reach the gateway, such as https://graphs.example.org.")
    workers: int = Field(1, ge=1, le=8, description="Processes that answer requests, at most 8.")
    url: Annotated[str, AfterValidator(_gateway)] | None = Field(
        None, description="For commands: the gateway to use instead of the one in the data directory."
    )
    key: Annotated[SecretStr, AfterValidator(_key)] | None = Field(None, description="For commands: the key to use there.")

    retention_events: int = Field(1000, ge=0, description="Newest events that a graph keeps, if it does not say itself; 0 keeps all.")
    rho_state_dir: Path | None = Field(None, description="Rho's state folder on this machine: its journals go into exports of sessions.")
    rho_snapshots: int = Field(20, ge=1, description="Newest snapshots that a Rho graph keeps, besides those that came as uploads.")
    expire_after: Annotated[Seconds | None, BeforeValidator(_optional_seconds), Form(f"{_TIMES}, or off")] = Field(
        None, description="Graphs without news for that long are deleted; off keeps them."
    )
    stale_after: Seconds = Field(1800.0, description="How long a working node may be silent before it counts as stale.")
    snapshot_cache_nodes: int = Field(50_000, ge=0, description="Nodes of graphs read lately that a process keeps in memory; 0 keeps none.")

    answer_cache_bytes: int = Field(
        32 * 1024 * 1024, ge=0, description="Bytes of REST answers given lately that a process keeps in memory; 0 keeps none."
    )

    admin_key: Annotated[SecretStr, AfterValidator(_operator_key)] | None = Field(
        None, description="The operator's key, in place of the one that the gateway makes and keeps in the data directory."
    )
    rate_limit: Annotated[
        float, BeforeValidator(_a_second), Field(ge=0, allow_inf_nan=False), Form("requests a second, such as 25 or 25/s, or 0")
    ] = Field(25.0, description="Requests a second for each key; 0 is off.")
    rate_burst: Count = Field(100, description="Requests that a key may make at once before the rate limit counts.")
    introspection: bool = Field(True, description="Whether the GraphQL schema may be asked for.")
    graphiql: bool = Field(True, description="Whether browsers get GraphiQL at /graphql.")
    cors_origins: Annotated[list[Origin], NoDecode, BeforeValidator(_comma_separated)] = Field(
        default_factory=list, description="Origins, separated by commas, whose pages may call the gateway; never with cookies."
    )

    log_format: Annotated[Literal["console", "json"], BeforeValidator(_lower)] = Field("console", description="Form of the log.")
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = Field(
        "info", description="Least severe lines that are logged: debug, info, warning or error."
    )
    metrics: bool = Field(True, description="Whether /metrics answers.")

    page_size: int = Field(1000, ge=1, le=1000, description="Most items of a page.")
    descendants_page_size: int = Field(25_000, ge=1, le=25_000, description="Most items of a page of descendants.")
    depth: Count = Field(30, description="Deepest GraphQL operation.")
    aliases: Count = Field(100, description="Most aliases of a GraphQL operation.")
    root_fields: Count = Field(20, description="Most root fields of a GraphQL operation.")
    tokens: Count = Field(4000, description="Most tokens of a GraphQL document.")
    directives: Count = Field(50, description="Most directives of a GraphQL operation.")
    node_budget: Count = Field(100_000, description="Most objects that one GraphQL operation may gather.")
    head_bytes: Bytes = Field(65_536, description="Largest address and headers of a request, together.")
    body_bytes: Bytes = Field(1024 * 1024, description="Largest request body.")
    write_body_bytes: Bytes = Field(8 * 1024 * 1024, description="Largest request body with a key that may write.")
    deadline: Seconds = Field(10.0, description="How long one operation may take.")
    write_deadline: Seconds = Field(25.0, description="How long one append may take.")
    slow_consumer_events: Count = Field(10_000, description="Events that a subscriber may fall behind.")
    slow_consumer_after: Seconds = Field(60.0, description="How long a subscriber may take nothing.")
    ping_every: Seconds = Field(20.0, description="Time between pings on a WebSocket, and for their answer.")
    connection_subscriptions: Count = Field(20, description="Most subscriptions on one connection.")
    key_subscriptions: Count = Field(200, description="Most subscriptions with one key.")

    store_memory: Annotated[int, Form("MiB as a whole number of 128 or more")] = Field(
        1024, ge=128, description="Memory for the embedded store's heap, MiB."
    )
    neo4j_uri: Annotated[str, AfterValidator(_bolt)] | None = Field(
        None, validation_alias="NEO4J_URI", description="Address of a Neo4j 5.26 or later; without it the embedded store is started."
    )
    neo4j_username: str = Field("neo4j", validation_alias="NEO4J_USERNAME", description="User name at that Neo4j.")
    neo4j_password: SecretStr = Field(SecretStr(""), validation_alias="NEO4J_PASSWORD", description="Password at that Neo4j.")
    neo4j_database: str | None = Field(None, validation_alias="NEO4J_DATABASE", description="Database there; without it the user's own.")

    @property
    def store_address(self) -> StoreAddress | None:
        """The Neo4j to use; None means the embedded store."""
        if self.neo4j_uri is None:
            return None
        return StoreAddress(self.neo4j_uri, self.neo4j_username, self.neo4j_password.get_secret_value(), self.neo4j_database)


def variable_of(field: str) -> str:
    """The environment variable of a field of `Settings`."""
    alias = Settings.model_fields[field].validation_alias
    return alias if isinstance(alias, str) else PREFIX + field.upper()


def load_settings(**given: Any) -> Settings:
    """The settings of this process; what is `given`, such as a command's options, wins.

    Raises: WrongValue, one line that names each variable with a value that cannot be used; SettingsProblem.
    """
    try:
        return Settings(**given)
    except ValidationError as error:
        raise WrongValue("; ".join(_told(dict(fault)) for fault in error.errors(include_url=False))) from None
    except (SettingsError, UnicodeDecodeError, OSError) as error:
        raise SettingsProblem(f"The .env file cannot be read: {error}") from error


def _told(fault: dict[str, Any]) -> str:
    name = str(fault["loc"][0])
    field = name if name in Settings.model_fields else name.lower()
    secret = "Secret" in str(Settings.model_fields[field].annotation)
    value = "" if secret else f" {str(fault['input'])[:100]!r}"
    said = str(fault["msg"])
    why = said.removeprefix("Value error, ")  # a validator's own words name the form
    form = _form(field) if why == said else None
    return f"{variable_of(field)}{value} cannot be used: {f'give {form}' if form else why[:1].lower() + why[1:]}"


def _form(field: str) -> str | None:
    info = Settings.model_fields[field]
    for each in info.metadata:
        if isinstance(each, Form):
            return each.text
    if info.annotation is bool:
        return "true or false"
    if info.annotation is int:
        low, high = (next((getattr(each, bound) for each in info.metadata if hasattr(each, bound)), None) for bound in ("ge", "le"))
        return f"a whole number of {low} or more" if high is None else f"a whole number from {low} to {high}"
    words = [str(word) for word in get_args(info.annotation)]
    return f"{', '.join(words[:-1])} or {words[-1]}" if getattr(info.annotation, "__origin__", None) is Literal else None
