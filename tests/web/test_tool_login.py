"""A login handed over to the public tool by the browser (I23), on top of a person's own (O19)."""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from hashlib import sha256
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import pytest_asyncio

from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from tests.application import Opened, opened
from tests.grown import soon
from tests.served import account
from tests.web.test_login import FORM, OURS, cookie_of, link

VERIFIER = secrets.token_urlsafe(32)
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
ASKED = {"cli": "49152", "state": "st/a+te=", "challenge": CHALLENGE}


@pytest_asyncio.fixture
async def gateway(store_address: StoreAddress, data_dir: Path) -> AsyncIterator[Opened]:
    async with opened(store_address, data_dir) as found:
        yield found


async def signed_in(gateway: Opened, secret: str | None = None) -> str:
    if secret is None:
        return cookie_of(await gateway.nobody.get(await link(gateway)))
    return cookie_of(await gateway.nobody.post("/login", data={"key": secret}, headers=OURS))


def callback(answer: httpx.Response) -> tuple[str, dict[str, str]]:
    found = re.search(r'content="0; url=([^"]+)"', answer.text)
    assert found is not None, answer.text
    parts = urlsplit(unescape(found[1]))
    return f"{parts.scheme}://{parts.netloc}{parts.path}", {name: values[0] for name, values in parse_qs(parts.query).items()}


async def code(gateway: Opened, cookie: str) -> str:
    answer = await gateway.nobody.post("/login/cli", data=ASKED, headers={**OURS, "Cookie": cookie})
    where, said = callback(answer)
    assert (where, said["state"]) == ("http://127.0.0.1:49152/callback", ASKED["state"])
    return said["code"]


async def token(gateway: Opened, used: str, verifier: str = VERIFIER) -> httpx.Response:
    return await gateway.nobody.post("/api/cli/token", json={"code": used, "verifier": verifier, "host": "build-box"})


async def test_the_browser_brings_the_tool_a_login(gateway: Opened) -> None:
    """I23: from the page that the tool opens, by way of signing in, to a token that makes shares and reads nothing, till it logs out."""
    page = await gateway.nobody.get("/login", params=ASKED)
    assert page.status_code == 303
    target = parse_qs(urlsplit(page.headers["location"]).query)["next"][0]
    entered = await gateway.nobody.get(await link(gateway))
    cookie = cookie_of(entered)
    again = await gateway.nobody.get(page.headers["location"], headers={"Cookie": cookie})
    assert again.headers["location"] == target, "the form that was left open leads on"
    asked = await gateway.nobody.get(target, headers={"Cookie": cookie})
    assert asked.status_code == 200
    assert "local" in asked.text
    fields = {name: unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', asked.text)}
    assert fields == ASKED
    used = await code(gateway, cookie)
    answer = await token(gateway, used)
    assert answer.status_code == 200
    assert (answer.json()["email"], answer.headers["cache-control"]) == ("local", "no-store")
    login = {"Authorization": f"Bearer {answer.json()['token']}"}
    assert (await gateway.nobody.get("/api/cli/account", headers=login)).json() == {"email": "local", "canShare": True}
    made = await gateway.nobody.post("/api/logs", headers={**login, "X-Agent-Graph-Source": "watch"})
    assert made.status_code == 201
    for path in ("/api/v1/graphs", "/api/export"):
        assert (await gateway.nobody.get(path, headers=login)).status_code == 401
    for name in ("agw_login", "agw_login_8080"):
        answer = await gateway.nobody.get("/", headers={"Cookie": f"{name}={login['Authorization'].split()[1]}"})
        assert answer.status_code == 303, "a tool's login is none for pages"
    assert (await gateway.nobody.post("/api/cli/logout", headers=login)).status_code == 204
    assert (await gateway.nobody.get("/api/cli/account", headers=login)).status_code == 401
    cookie_token = {"Authorization": f"Bearer {cookie.partition('=')[2]}"}
    assert (await gateway.nobody.get("/api/cli/account", headers=cookie_token)).status_code == 401


async def test_a_code_is_good_once_and_for_its_tool_alone(gateway: Opened) -> None:
    """I23: S256; and it opens no page."""
    cookie = await signed_in(gateway)
    used = await code(gateway, cookie)
    assert (await token(gateway, used, secrets.token_urlsafe(32))).status_code == 401
    assert (await gateway.nobody.get(f"/login?code={used}")).status_code == 403
    assert (await token(gateway, used)).status_code == 200
    assert (await token(gateway, used)).status_code == 401
    person = urlsplit(await link(gateway)).query.removeprefix("code=")
    assert (await token(gateway, person)).status_code == 401, "a person's code is none for tools"
    for body in (b"", b"[]", b"{}", b'{"code": 1, "verifier": "x"}'):
        assert (await gateway.nobody.post("/api/cli/token", content=body)).status_code == 400
    assert (await gateway.nobody.post("/api/cli/token", content=b" " * 5_000)).status_code == 413


@pytest.mark.parametrize(
    "spoilt",
    [{"cli": "0"}, {"cli": "65536"}, {"cli": "80@evil.example"}, {"cli": "٣"}, {"state": ""}, {"state": "a b"}, {"challenge": "x" * 42}],
)
async def test_odd_links_lead_nowhere(gateway: Opened, spoilt: dict[str, str]) -> None:
    """I23: the code goes to this computer alone, and only where a tool asked for it."""
    cookie = await signed_in(gateway)
    assert (await gateway.nobody.get("/login", params={**ASKED, **spoilt}, headers={"Cookie": cookie})).status_code == 400
    answer = await gateway.nobody.post("/login/cli", data={**ASKED, **spoilt}, headers={**OURS, "Cookie": cookie})
    assert answer.status_code == 400


async def test_nobody_else_says_yes(gateway: Opened) -> None:
    """Q34, O17: another site's page, nobody, and logins that could make no share."""
    cookie = await signed_in(gateway)
    for headers in (
        {"Cookie": cookie},
        {"Cookie": cookie, "Origin": "https://evil.example"},
        {"Cookie": cookie, "Sec-Fetch-Site": "cross-site"},
    ):
        assert (await gateway.nobody.post("/login/cli", data=ASKED, headers=headers)).status_code == 403
    assert (await gateway.nobody.post("/login/cli", data=ASKED, headers={**OURS, **FORM})).status_code == 401
    owner = account()
    viewer = Viewer(owner, ALL_SCOPES, key_id="operator", operator=True)
    graph_id = (await gateway.services.graphs.create(viewer, None, "watch", None, soon())).id
    for scopes, graph_ids in ((("read",), None), (("write",), [graph_id])):
        _, secret = await gateway.services.keys.create(viewer, "test", scopes, soon(), graph_ids=graph_ids, account=owner)
        answer = await gateway.nobody.post("/login/cli", data=ASKED, headers={**OURS, "Cookie": await signed_in(gateway, secret)})
        assert answer.status_code == 403


async def test_a_tool_s_login_ends_with_the_key_behind_it(gateway: Opened) -> None:
    """O19, R9: at once."""
    owner = account()
    viewer = Viewer(owner, ALL_SCOPES, key_id="operator", operator=True)
    row, secret = await gateway.services.keys.create(viewer, "test", ("write",), soon(), account=owner)
    answer = await token(gateway, await code(gateway, await signed_in(gateway, secret)))
    login = {"Authorization": f"Bearer {answer.json()['token']}"}
    assert (await gateway.nobody.get("/api/cli/account", headers=login)).json()["email"] == owner
    await gateway.services.keys.revoke(viewer, row.id, soon())
    assert (await gateway.nobody.get("/api/cli/account", headers=login)).status_code == 401
    assert (await gateway.nobody.post("/api/cli/logout", headers=login)).status_code == 401
