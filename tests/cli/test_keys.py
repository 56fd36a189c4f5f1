"""`agw keys` (O10, O14)."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from app.domain.key_form import is_key
from app.services.keys import hashed
from tests.cli.process import Serving, agw

DAY_MS = 86_400_000


def test_a_key_is_made_used_listed_and_revoked(gateway: Serving, graph: str, tmp_path: Path) -> None:
    """O10: shown once, alone on standard output; good for what it was made for, until it is revoked."""
    made = agw(gateway.data_dir, "keys", "create", "--name", "the wall", "--scope", "read", "--expires", "30d")
    assert made.returncode == 0, made.stderr
    key = made.stdout.strip()
    assert is_key(key)
    assert "Shown this once" in made.stderr
    assert key not in made.stderr
    elsewhere = {"AGW_URL": gateway.url, "AGW_KEY": key}
    assert graph in agw(tmp_path / "d", "graphs", "--json", **elsewhere).stdout
    assert "write" in agw(tmp_path / "d", "create", **elsewhere).stderr

    listed = agw(gateway.data_dir, "keys", "list")
    row = next(line for line in listed.stdout.splitlines() if hashed(key) in line)
    assert key not in listed.stdout
    for part in (key[-4:], " read ", " all ", "in 30 d", "the wall"):
        assert part in row
    found = json.loads(agw(gateway.data_dir, "keys", "list", "--json").stdout)
    record = next(one for one in found if one["id"] == hashed(key))
    assert record["scopes"] == ["READ"]
    assert abs(record["expires"] - time.time() * 1000 - 30 * DAY_MS) < 600_000
    assert "admin" in agw(tmp_path / "d", "keys", "list", **elsewhere).stderr

    revoked = agw(gateway.data_dir, "keys", "revoke", hashed(key))
    assert (revoked.returncode, revoked.stdout) == (0, f"{hashed(key)} is revoked.\n")
    refused = agw(tmp_path / "d", "graphs", **elsewhere)
    assert refused.returncode == 1
    assert "does not know this key" in refused.stderr


def test_a_key_that_may_write_comes_with_the_producers_command_line(gateway: Serving, graph: str) -> None:
    """O10: whole, to be copied; a key for certain graphs makes none, as a producer does."""
    made = agw(gateway.data_dir, "keys", "create", "--name", "p", "--scope", "read,write")
    key, command = made.stdout.splitlines()
    assert command == f"AGENT_GRAPH_TOKEN={key} agent-graph watch-remote --url={gateway.url}"
    told = json.loads(agw(gateway.data_dir, "keys", "create", "--name", "r", "--scope", "write", "--graph", graph, "--json").stdout)
    assert told["secret"].startswith("ag_rk_live_")
    assert told["key"]["graphIds"] == [graph]
    assert told["producer"] is None


def test_an_account_is_made_by_its_first_key(gateway: Serving, tmp_path: Path) -> None:
    """O10, O17: it owns nothing yet, and sees its own keys alone."""
    arguments = ("keys", "create", "--name", "x", "--scope", "read", "--scope", "admin", "--account", "night-shift")
    key = agw(gateway.data_dir, *arguments).stdout.strip()
    elsewhere = {"AGW_URL": gateway.url, "AGW_KEY": key}
    assert json.loads(agw(tmp_path / "d", "graphs", "--json", **elsewhere).stdout) == []
    found = json.loads(agw(tmp_path / "d", "keys", "list", "--json", **elsewhere).stdout)
    assert [(one["id"], one["account"]) for one in found] == [(hashed(key), "night-shift")]
    refused = agw(tmp_path / "d", "keys", "create", "--name", "x", "--scope", "read", "--account", "local", **elsewhere)
    assert refused.returncode == 1
    assert "operator" in refused.stderr


def test_keys_are_made_without_a_gateway_too(tmp_path: Path) -> None:
    """O14: for producers, at the address that a gateway would have."""
    made = agw(tmp_path / "data", "keys", "create", "--name", "x", "--scope", "write", AGW_PUBLIC_URL="https://graphs.example")
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[1].endswith(" --url=https://graphs.example")


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (("create", "--name", "x", "--scope", "all"), ("--scope all", "read, write or admin"), 2),
        (("create", "--name", "x"), ("--scope", "--help"), 2),
        (("create", "--name", "x", "--scope", "read", "--expires", "soon"), ("--expires soon", "30d"), 2),
        (("create", "--name", "x", "--scope", "read", "--expires", "0d"), ("--expires 0d", "30d"), 2),
        (("create", "--name", "", "--scope", "read"), ("name", "1 to 100"), 1),
        (("create", "--name", "x", "--scope", "read", "--graph", "gph_AAAAAAAAAAAA"), ("No such graph", "agw graphs"), 1),
        (("revoke", "0" * 64), ("No such key",), 1),
        (("revoke", "ag_sk_live_" + "0" * 32), ("id", "agw keys list"), 2),
    ],
)
def test_what_cannot_be_done_is_one_line(gateway: Serving, arguments: tuple[str, ...], said: tuple[str, ...], code: int) -> None:
    """O14."""
    done = agw(gateway.data_dir, "keys", *arguments)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1
    assert all(part in done.stderr for part in said), done.stderr


def test_the_operators_key_cannot_be_revoked(gateway: Serving) -> None:
    """O18: there would be no way in."""
    done = agw(gateway.data_dir, "keys", "revoke", hashed(gateway.key))
    assert done.returncode == 1
    assert "AGW_ADMIN_KEY" in done.stderr
