"""`python -m tests.ingest.tool watch-remote --url=URL FILE`: a small stand-in for the public tool, over a real wire (I21-I23).

It sends the events of a file (JSON Lines), one chunk after another, checks in, and ends. Without AGENT_GRAPH_TOKEN it logs in by the
browser: it prints the address that the browser is to open, and waits for the answer. It shares nothing with the product.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import sys
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from tests.ingest.producer import Disk, Producer, log_order


@dataclass
class HttpWire:
    """Requests to an address; every failure of the wire is an OSError. A pause follows a failed one."""

    url: str
    pause: float = 0.05
    client: httpx.AsyncClient = field(default_factory=lambda: httpx.AsyncClient(timeout=30, trust_env=False))

    async def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """One request. Raises: OSError."""
        try:
            answer = await self.client.request(method, self.url + path, headers={**headers, "User-Agent": "agent-graph/0"}, content=body)
        except httpx.HTTPError as error:
            await asyncio.sleep(self.pause)
            raise OSError from error
        if answer.status_code >= 500:
            await asyncio.sleep(self.pause)
        return answer.status_code, answer.content


def login_by_browser(url: str) -> str:
    """I23: the token that the browser's code is worth."""
    verifier, state, found = secrets.token_urlsafe(32), secrets.token_urlsafe(8), {}

    class Callback(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/callback":
                found.update({name: values[0] for name, values in parse_qs(parts.query).items()})
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Callback) as listening:
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = urlencode({"cli": listening.server_port, "state": state, "challenge": challenge})
        sys.stdout.write(f"Open {url}/login?{asked}\n")
        sys.stdout.flush()
        while "code" not in found:
            listening.handle_request()
    assert found["state"] == state
    said = {"code": found["code"], "verifier": verifier, "host": socket.gethostname()}
    answer = httpx.post(f"{url}/api/cli/token", json=said, trust_env=False)
    answer.raise_for_status()
    return str(answer.json()["token"])


async def watch(url: str, token: str, path: str) -> None:
    """One run over the events of a file."""
    wire = HttpWire(url)
    status, body = await wire.send("GET", "/api/cli/account", {"Authorization": f"Bearer {token}"}, b"")
    if status != 200 or not isinstance(json.loads(body)["email"], str | None):
        raise SystemExit(f"{status}: {body.decode()}")
    lines = (await asyncio.to_thread(Path(path).read_text, "utf-8")).splitlines()
    events = sorted((json.loads(line) for line in lines if line.strip()), key=log_order)
    producer = Producer(wire.send, token, Disk())
    await producer.begin(events[:1])
    for event in events[1:]:
        producer.add(event)
    await producer.push()
    await producer.check_in()
    sys.stdout.write(f"Sharing {len(events)} events as {producer.disk.log_id}\n")


def main() -> None:
    """The command."""
    command, address, path = sys.argv[1:]
    assert command == "watch-remote"
    url = address.removeprefix("--url=")
    asyncio.run(watch(url, os.environ.get("AGENT_GRAPH_TOKEN") or login_by_browser(url), path))


if __name__ == "__main__":
    main()
