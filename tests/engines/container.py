"""The same Neo4j in a container, where a Docker engine answers."""

from __future__ import annotations

import secrets
from typing import Any

import docker
from testcontainers.core.container import DockerContainer

from app.embedded.command import free_port
from app.settings import StoreAddress
from tests.engines.answers import ask, wait_for
from tests.engines.jars import VERSION

IMAGE = f"neo4j:{VERSION}-community"
_SETTINGS = {
    "NEO4J_server_memory_heap_initial__size": "256m",
    "NEO4J_server_memory_heap_max__size": "512m",
    "NEO4J_server_memory_pagecache_size": "64m",
    "NEO4J_dbms_usage__report_enabled": "false",
}


def docker_answers() -> bool:
    """Whether there is a Docker engine."""
    try:
        client = docker.from_env(timeout=5)
        try:
            return bool(client.ping())
        finally:
            client.close()
    except (docker.errors.DockerException, OSError):
        return False


class Neo4jContainer:
    """One server in a container, on the same port of this machine for as long as the object lives."""

    def __init__(self) -> None:
        self._port = free_port()
        self._password = secrets.token_urlsafe(16)
        self._container = DockerContainer(IMAGE)
        self._container.ports["7687/tcp"] = ("127.0.0.1", self._port)  # `with_bind_ports` binds every interface
        for name, value in {**_SETTINGS, "NEO4J_AUTH": f"neo4j/{self._password}"}.items():
            self._container.with_env(name, value)
        self._made = False

    @property
    def address(self) -> StoreAddress:
        """Where it is, or will be."""
        return StoreAddress(f"bolt://127.0.0.1:{self._port}", "neo4j", self._password, None)

    def start(self) -> None:
        """Starts it, and waits until it has answered a statement."""
        self._container.start()
        self._made = True
        wait_for(lambda: ask(self.address.uri, ("neo4j", self._password), "RETURN 1"), self._lives, self._said)

    def revive(self) -> None:
        """Starts it again, without waiting."""
        self._wrapped.start()

    def kill(self) -> None:
        """Ends it without warning."""
        self._wrapped.kill()

    def stop(self) -> None:
        """Ends it and takes the container away."""
        if self._made:
            self._container.stop()

    @property
    def _wrapped(self) -> Any:
        return self._container.get_wrapped_container()

    def _lives(self) -> bool:
        self._wrapped.reload()
        return bool(self._wrapped.status != "exited")

    def _said(self) -> str:
        return bytes(self._wrapped.logs()).decode(errors="replace")
