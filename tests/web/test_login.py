"""Signing in and out, and what the pages show (O19, O21, Q34)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from http.cookies import SimpleCookie
from pathlib import Path

import httpx
import pytest

from app.settings import StoreAddress
from app.store.deadline import Deadline
from app.web.login import own_path
from tests.application import ORIGIN, Opened, opened

OURS = {"Origin": ORIGIN}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
QUERY = {"query": "{ viewer { account scopes } }"}


@pytest.fixture(scope="module")
async def gateway(store_address: StoreAddress, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Opened]:
    async with opened(store_address, tmp_path_factory.mktemp("login")) as found:
        yield found


async def link(gateway: Opened) -> str:
    answer = await gateway.client.post("/login/code")
    assert answer.status_code == 201
    return str(answer.json()["url"])


def cookie_of(answer: httpx.Response) -> str:
    morsel = next(iter(SimpleCookie(answer.headers["set-cookie"]).values()))
    return f"{morsel.key}={morsel.value}"


async def test_a_link_signs_in_once(gateway: Opened) -> None:
    """O19: opening it sets an HttpOnly, SameSite=Strict cookie that lasts 30 days; the second time it is used up."""
    url = await link(gateway)
    answer = await gateway.nobody.get(url)
    assert answer.status_code == 200
    set_cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in set_cookie
    assert "samesite=strict" in set_cookie
    assert "max-age=2592000" in set_cookie
    assert "secure" not in set_cookie
    assert 'content="0; url=/"' in answer.text
    assert gateway.key not in answer.text
    shown = await gateway.nobody.get("/", headers={"Cookie": cookie_of(answer)})
    assert shown.status_code == 200
    again = await gateway.nobody.get(url)
    assert again.status_code == 403
    assert "set-cookie" not in again.headers
    assert "agw open" in again.text


async def test_looking_ahead_does_not_use_a_link_up(gateway: Opened) -> None:
    """O19: a HEAD or a prefetch is no visit."""
    url = await link(gateway)
    assert (await gateway.nobody.head(url)).status_code == 200
    assert (await gateway.nobody.get(url, headers={"Sec-Purpose": "prefetch;prerender"})).status_code == 200
    assert "set-cookie" in (await gateway.nobody.get(url)).headers


async def test_of_many_that_open_a_link_at_once_one_gets_in(gateway: Opened) -> None:
    """O19: one-time."""
    url = await link(gateway)
    answers = await asyncio.gather(*(gateway.nobody.get(url) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [403] * 7


async def test_links_are_made_by_keys_alone(gateway: Opened) -> None:
    """O19: without a valid key, or with a login's cookie, there is no link."""
    assert (await gateway.nobody.post("/login/code")).status_code == 401
    cookie = cookie_of(await gateway.nobody.get(await link(gateway)))
    assert (await gateway.nobody.post("/login/code", headers={"Cookie": cookie, **OURS})).status_code == 401


async def test_the_form_takes_a_key_from_our_own_page_only(gateway: Opened) -> None:
    """O19, Q34: another site's form, or one of no known origin, is refused; a wrong key gets no cookie and is not shown again."""
    right = {"key": gateway.key, "next": "/l/abcdefghijkl"}
    answer = await gateway.nobody.post("/login", data=right, headers=OURS)
    assert answer.status_code == 200
    assert 'url=/l/abcdefghijkl"' in answer.text
    assert (await gateway.nobody.get("/", headers={"Cookie": cookie_of(answer)})).status_code == 200
    for headers in ({}, {"Origin": "https://evil.example"}, {**OURS, "Sec-Fetch-Site": "cross-site"}):
        refused = await gateway.nobody.post("/login", data=right, headers=headers)
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers
    wrong = await gateway.nobody.post("/login", data={"key": "ag_sk_live_" + "0" * 32}, headers=OURS)
    assert wrong.status_code == 403
    assert "set-cookie" not in wrong.headers
    assert "0" * 32 not in wrong.text


@pytest.mark.parametrize(("body", "kind"), [("key=" + "x" * 5_000, FORM), ("{}", {"Content-Type": "application/json"}), ("key=a", {})])
async def test_other_bodies_are_refused(gateway: Opened, body: str, kind: dict[str, str]) -> None:
    """Q34: a form, of bounded size, and nothing else."""
    answer = await gateway.nobody.post("/login", content=body, headers={**OURS, **kind})
    assert answer.status_code == 415


async def test_signing_out_ends_the_login(gateway: Opened) -> None:
    """O19: at once, for that browser; another site's page cannot do it."""
    cookie = cookie_of(await gateway.nobody.get(await link(gateway)))
    other = cookie_of(await gateway.nobody.get(await link(gateway)))
    assert (await gateway.nobody.post("/logout", headers={"Cookie": cookie, "Origin": "https://evil.example"})).status_code == 403
    assert (await gateway.nobody.get("/", headers={"Cookie": cookie})).status_code == 200
    out = await gateway.nobody.post("/logout", headers={"Cookie": cookie, **OURS})
    assert out.status_code == 303
    assert out.headers["location"] == "/login"
    assert (await gateway.nobody.get("/", headers={"Cookie": cookie})).status_code == 303
    assert (await gateway.nobody.get("/", headers={"Cookie": other})).status_code == 200


async def test_graphql_takes_the_cookie_from_our_own_pages_only(gateway: Opened) -> None:
    """Q34: by GET too."""
    cookie = {"Cookie": cookie_of(await gateway.nobody.get(await link(gateway)))}
    good = await gateway.nobody.post("/graphql", json=QUERY, headers={**cookie, **OURS})
    assert good.status_code == 200
    assert good.json()["data"]["viewer"]["account"] == "local"
    for headers in (cookie, {**cookie, "Origin": "https://evil.example"}, {**cookie, "Sec-Fetch-Site": "same-site"}):
        assert (await gateway.nobody.post("/graphql", json=QUERY, headers=headers)).status_code == 401
        assert (await gateway.nobody.get("/graphql", params=QUERY, headers=headers)).status_code == 401


async def test_pages_lead_to_the_login_and_back(gateway: Opened) -> None:
    """O39: without a login a page sends to the form, which leads back."""
    answer = await gateway.nobody.get("/l/abcdefghijkl?as_of=evt_1")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=/l/abcdefghijkl%3Fas_of%3Devt_1"
    form = answer.headers["location"]
    assert 'value="/l/abcdefghijkl?as_of=evt_1"' in (await gateway.nobody.get(form)).text
    # loaded again after a link was opened beside it
    inside = {"Cookie": cookie_of(await gateway.nobody.get(await link(gateway)))}
    answer = await gateway.nobody.get(form, headers=inside)
    assert (answer.status_code, answer.headers["location"]) == (303, "/l/abcdefghijkl?as_of=evt_1")
    for other, headers in ((form, {**inside, "Authorization": "Bearer wrong"}), ("/login", inside), ("/login?next=//evil.example", inside)):
        assert (await gateway.nobody.get(other, headers=headers)).status_code == 200


@pytest.mark.parametrize("target", [None, "", "https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/a\nb"])
def test_a_sign_in_never_leads_elsewhere(target: str | None) -> None:
    """O21: no open redirect."""
    assert own_path(target) == "/"


async def test_with_https_the_cookie_is_secure(store_address: StoreAddress, tmp_path: Path) -> None:
    """O19: Secure where PUBLIC_URL is https://, and links carry that address."""
    async with opened(store_address, tmp_path, public_url="https://graphs.example") as secure:
        url = (await secure.client.post("/login/code")).json()["url"]
        assert url.startswith("https://graphs.example/login?code=")
        answer = await secure.nobody.get(url.removeprefix("https://graphs.example"))
        assert "secure" in answer.headers["set-cookie"].lower()


HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


async def test_what_agents_wrote_is_never_markup(gateway: Opened) -> None:
    """O21: titles and texts are escaped, and the policy lets no inline script or outside origin in."""
    services = gateway.services
    viewer = await services.access.viewer(f"Bearer {gateway.key}")
    assert viewer is not None
    made = await services.graphs.create(viewer, HOSTILE, "watch", 0, Deadline.after(20))
    event = {"v": 1, "id": "01KJPWD6M0ESYXM8847ZA0001A", "ts": "2026-03-02T09:00:00Z", "type": "session.started", "node": f"p:{HOSTILE}"}
    status = {**event, "id": "01KJPWD6M0ESYXM8847ZA0001B", "type": "status", "data": {"state": "input_required", "summary": HOSTILE}}
    await services.appends.append(viewer, made.id, [{**event, "data": {"title": HOSTILE}}, status], Deadline.after(20))
    for path in ("/", f"/l/{made.id.removeprefix('gph_')}", f"/l/{HOSTILE.replace('/', '')}", f"/login?next=/{HOSTILE}"):
        answer = await gateway.client.get(path)
        assert "<script>" not in answer.text
        assert "<img" not in answer.text
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"https?:|\*", policy)
    page = await gateway.client.get(f"/l/{made.id.removeprefix('gph_')}")
    assert "&lt;script&gt;" in page.text
    assert "input required" in page.text


async def test_the_page_of_no_graph_says_so(gateway: Opened) -> None:
    """O39: as a page, with the status."""
    answer = await gateway.client.get("/l/AAAAAAAAAAAA")
    assert answer.status_code == 404
    assert "text/html" in answer.headers["content-type"]


async def test_everything_a_page_needs_is_served_here(gateway: Opened) -> None:
    """O21: no outside origin; styles come from /static."""
    page = await gateway.nobody.get("/login")
    for path in re.findall(r'(?:href|src)="([^"]+)"', page.text):
        assert path.startswith("/")
        assert (await gateway.client.get(path)).status_code == 200
