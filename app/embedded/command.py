"""The command line of the store's process."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Sequence
from pathlib import Path

from app.embedded.installation import Installation

DATABASE = "neo4j"
USERNAME = "root"
HOST = "127.0.0.1"

_MESSAGE_BYTES = 64 * 1024 * 1024
_UNWANTED = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "ARCADEDB", "AGW_", "NEO4J_")


def java_command(
    installation: Installation,
    folder: Path,
    password_file: Path,
    ports: tuple[int, int],
    memory_mib: int,
    statement_seconds: float,
    start_options: Sequence[str] = (),
) -> list[str]:
    """How to start the server in `folder`: Bolt on the first of `ports`, its own HTTP (which cannot be left out) on the second.

    `memory_mib` bounds Java's heap; no statement runs longer than `statement_seconds`, whether or not its caller still waits.
    `start_options`: those of `start_cache`.
    """
    settings = {
        "server.mode": "production",
        "server.rootPath": folder,
        "server.databaseDirectory": folder / "databases",
        "server.logsDirectory": folder / "log",
        "server.rootPasswordPath": password_file,
        "server.defaultDatabases": f"{DATABASE}[{USERNAME}]",
        "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
        "server.httpIncomingHost": HOST,
        "server.httpIncomingPort": ports[1],
        "server.healthCheck.enabled": "false",
        "bolt.host": HOST,
        "bolt.port": ports[0],
        "bolt.maxMessageSize": _MESSAGE_BYTES,
        "bolt.packstream.maxValueLength": _MESSAGE_BYTES,
        "command.timeout": round(statement_seconds * 1000),
        "txWalFlush": 1,  # a commit that was acknowledged outlives the machine's power, as on Neo4j
        "server.saltIterations": 1,  # the password is random: making it dear to guess would only make the first connection slow
        "indexDefaultPageSize": 32_768,  # a commit copies every index page that it touches: an append takes a sixth less than at 256 KiB
        "serverMetrics": "false",
        "polyglotEngineEnabled": "false",
        "support.autoRegister": "false",  # nothing is sent to anybody
    }
    return [
        str(installation.java),
        *start_options,
        "-Xms64m",
        f"-Xmx{memory_mib}m",
        "-Djava.awt.headless=true",
        "-XX:+ExitOnOutOfMemoryError",  # a store that is out of memory is started again rather than half alive
        *(f"-Darcadedb.{name}={value}" for name, value in settings.items()),
        "-cp",
        os.pathsep.join(str(jar) for jar in installation.jars),
        "com.arcadedb.server.ArcadeDBServer",
    ]


def java_environment() -> dict[str, str]:
    """This process's environment without what would change the server's settings, and without the gateway's own secrets."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith(_UNWANTED)}


def free_port() -> int:
    """A loopback port that nobody uses.

    It is taken below the ranges from which systems serve outgoing connections, so that it is still free when the store is started
    again at the same address.
    """
    while True:
        port = random.randint(12_000, 32_000)  # noqa: S311 - not a secret
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
