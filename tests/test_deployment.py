"""`docker-compose.yml` and `Dockerfile` fit together and fit the settings (O31). They are read, not run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from app.settings import Settings, variable_of
from app.store.greeting import OLDEST_NEO4J
from tests.engines.jars import VERSION

ROOT = Path(__file__).parents[1]
KNOWN = {variable_of(name) for name in Settings.model_fields}
GIVEN = {"NEO4J_PASSWORD": "a-password", "AGW_ADMIN_KEY": "ag_sk_live_" + "a" * 32}
"""What a person puts into .env."""


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def dockerfile() -> list[list[tuple[str, str]]]:
    """Its instructions, stage by stage."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    stages: list[list[tuple[str, str]]] = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            if word == "FROM":
                stages.append([])
            stages[-1].append((word, rest))
    return stages


def environment(stage: list[tuple[str, str]]) -> dict[str, str]:
    """What an image sets."""
    return dict(pair.split("=", 1) for word, rest in stage if word == "ENV" for pair in rest.split())


def filled(value: str) -> str:
    """A value with what .env gives."""
    return re.sub(r"\$\{(\w+)(:\?[^}]*)?\}", lambda found: GIVEN[found[1]], value)


def settings(compose: dict[str, Any], dockerfile: list[list[tuple[str, str]]]) -> Settings:
    """What the gateway's container is set to."""
    given = environment(dockerfile[-1]) | {name: filled(value) for name, value in compose["services"]["gateway"]["environment"].items()}
    named = {variable_of(name): name for name in Settings.model_fields}
    return Settings(_env_file=None, **{named[name]: value for name, value in given.items() if name.startswith(("AGW_", "NEO4J_"))})  # type: ignore[call-arg]


def test_every_variable_is_a_setting(compose: dict[str, Any], dockerfile: list[list[tuple[str, str]]]) -> None:
    """O15, O31: nothing is set that nobody reads."""
    names = {*environment(dockerfile[-1]), *compose["services"]["gateway"]["environment"]}
    ours = {name for name in names if name.startswith(("AGW_", "NEO4J_"))}
    assert ours <= KNOWN
    assert {"AGW_HOST", "AGW_PORT", "AGW_DATA_DIR", "AGW_ADMIN_KEY", "NEO4J_URI", "NEO4J_PASSWORD"} <= ours
    for name in compose["services"]["neo4j"]["environment"]:
        assert name == "NEO4J_AUTH" or re.fullmatch(r"NEO4J_(server|dbms|db)_[a-z_]+", name), name
    asked = set(re.findall(r"(?<!\$)\$\{(\w+)", (ROOT / "docker-compose.yml").read_text(encoding="utf-8")))
    assert asked == set(GIVEN), "one .env with these"


def test_the_gateway_finds_neo4j_and_is_found(compose: dict[str, Any], dockerfile: list[list[tuple[str, str]]]) -> None:
    """O31: names and ports agree; only this machine's loopback is published (O20)."""
    found = settings(compose, dockerfile)
    assert found.store_address is not None
    uri = urlsplit(found.store_address.uri)
    assert uri.hostname in compose["services"]
    assert uri.port == 7687
    assert found.store_address.password == GIVEN["NEO4J_PASSWORD"]
    assert filled(compose["services"]["neo4j"]["environment"]["NEO4J_AUTH"]) == f"{found.neo4j_username}/{GIVEN['NEO4J_PASSWORD']}"
    assert dict(dockerfile[-1])["EXPOSE"] == str(found.port)
    (published,) = compose["services"]["gateway"]["ports"]
    assert published.split(":") == ["127.0.0.1", str(Settings.model_fields["port"].default), str(found.port)]
    assert found.host == "0.0.0.0", "or the port is open to nobody"


def test_what_is_waited_for_is_healthy(compose: dict[str, Any], dockerfile: list[list[tuple[str, str]]]) -> None:
    """O31: Neo4j with a health check, the gateway waits for it and has one itself: readiness at its own port (O26)."""
    services = compose["services"]
    assert services["gateway"]["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
    assert "RETURN 1" in services["neo4j"]["healthcheck"]["test"][1]
    ready = f"http://127.0.0.1:{dict(dockerfile[-1])['EXPOSE']}/readyz"
    assert ready in services["gateway"]["healthcheck"]["test"][-1]
    assert ready in dict(dockerfile[-1])["HEALTHCHECK"]


def test_data_is_kept_and_nothing_else_is_written(compose: dict[str, Any], dockerfile: list[list[tuple[str, str]]]) -> None:
    """O31: volumes for both, a root file system that is read only, and no root."""
    services = compose["services"]
    assert services["neo4j"]["volumes"] == ["neo4j:/data"]
    assert services["gateway"]["volumes"] == [f"gateway:{settings(compose, dockerfile).data_dir}"]
    assert set(compose["volumes"]) == {"neo4j", "gateway"}
    assert services["gateway"]["read_only"] is True
    assert len(dockerfile) == 2, "what builds is not what runs"
    assert int(dict(dockerfile[-1])["USER"]) > 0
    copied = [rest for word, rest in dockerfile[-1] if word == "COPY"]
    assert copied
    assert all(rest.startswith("--from=build") for rest in copied)


def test_images_are_pinned_and_new_enough(compose: dict[str, Any], dockerfile: list[list[tuple[str, str]]]) -> None:
    """O23: the Neo4j that tests run on; Python as the package wants it."""
    image = compose["services"]["neo4j"]["image"]
    assert image == f"neo4j:{VERSION}-community"
    assert tuple(int(part) for part in VERSION.split(".")[:2]) >= OLDEST_NEO4J
    bases = {stage[0][1].split(" AS ")[0] for stage in dockerfile}
    (python,) = bases
    found = re.fullmatch(r"python:3\.(\d+)-slim", python)
    assert found is not None
    assert int(found[1]) >= 11


def test_what_the_build_copies_is_there(dockerfile: list[list[tuple[str, str]]]) -> None:
    """O34: everything that the package is made of."""
    copied = [part for word, rest in dockerfile[0] if word == "COPY" for part in rest.split()[:-1]]
    assert {"app", "cypher", "pyproject.toml"} <= {part.removeprefix("./") for part in copied}
    for part in copied:
        assert (ROOT / part).exists(), part
