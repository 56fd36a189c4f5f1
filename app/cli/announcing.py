"""What a gateway says once it answers: where it is, how to sign in, and what to take care of (O18, O19, O20)."""

from __future__ import annotations

import ipaddress
import shlex
import sys
from pathlib import Path

from app.cli.gateway import Served
from app.cli.output import note
from app.services.bundle import Services
from app.services.operator_key import FILE
from app.settings import Settings
from app.store.deadline import Deadline
from app.version import VERSION
from app.web.login import login_link

_SECONDS = 10.0


def served_at(host: str, port: int) -> Served:
    """This process, answering at an address as a socket names it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104 - what to call it, not to bind it
    return Served.here(f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port}")


async def announce(settings: Settings, services: Services, host: str, port: int, target: str = "/") -> None:
    """Notes in the data directory that this process serves, and prints the link that leads to the path `target`."""
    served = served_at(host, port)
    served.note(settings.data_dir)
    base = (settings.public_url or served.url).rstrip("/")
    code = await services.logins.code_for(services.operator.id, Deadline.after(_SECONDS))
    sys.stdout.write("\n".join(_lines(services, base, login_link(base, code, target), settings.data_dir)) + "\n")
    sys.stdout.flush()
    if services.operator.secret is None:
        note(f"The operator's key is not in {settings.data_dir}: set AGW_ADMIN_KEY, or AGW_KEY for commands.")
    warning = exposure(host, port, settings.public_url)
    if warning is not None:
        note(warning)


def exposure(host: str, port: int, public_url: str | None) -> str | None:
    """What to warn of where others can reach the gateway without encryption (O20); `host` is an IP address."""
    if ipaddress.ip_address(host).is_loopback or (public_url or "").startswith("https://"):
        return None
    return (
        f"Warning: {host}:{port} can be reached from other machines and AGW_PUBLIC_URL does not begin with https://: keys, logins and all "
        "graphs cross the network unencrypted. Put a proxy with TLS in front and set AGW_PUBLIC_URL, or use AGW_HOST=127.0.0.1."
    )


def _lines(services: Services, base: str, link: str, data_dir: Path) -> list[str]:
    lines = [
        f"Agent Graph Gateway {VERSION}",
        f"  Address  {base}",
        f"  Sign in  {link}",
        f"           (good once, for ten minutes; agw open --data-dir {shlex.quote(str(data_dir))} makes another)",
    ]
    kept = data_dir / FILE
    if services.operator.made:
        lines += [f"  Key      {services.operator.secret}", f"           (the operator's; shown this once, kept in {kept})"]
    elif services.operator.secret is not None:
        lines.append(f"  Key      in {kept}")
    return lines
