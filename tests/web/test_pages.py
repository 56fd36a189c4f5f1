"""What pages answer where there is nothing to show (O19, O25, O39)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from app import settings
from app.settings import StoreAddress
from tests.application import Opened, opened

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
async def gateway(store_address: StoreAddress, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Opened]:
    async with opened(store_address, tmp_path_factory.mktemp("pages")) as found:
        yield found


def is_page(answer: httpx.Response, *said: str) -> bool:
    """Whether it is one of our pages, with these words on it."""
    text = answer.text
    return "text/html" in answer.headers["content-type"] and "</html>" in text and all(part in text for part in said)


async def test_a_browser_finds_no_icon_without_an_error(gateway: Opened) -> None:
    """O39: what browsers ask for by themselves is no fault of anybody's."""
    answer = await gateway.nobody.get("/favicon.ico")
    assert (answer.status_code, answer.content) == (204, b"")
    assert "max-age" in answer.headers["cache-control"]


@pytest.mark.parametrize("path", ["/nowhere", "/l", "/l/a/b", "/static/nothing.css", "/<script>"])
async def test_a_page_that_is_not_there_is_a_page(gateway: Opened, path: str) -> None:
    """O39: small, and under the same policy as the others; for programs it stays JSON."""
    answer = await gateway.nobody.get(path, headers=BROWSER)
    assert answer.status_code == 404
    assert is_page(answer, "There is no such page.")
    assert "script" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    for accept in ("application/json", "*/*"):
        other = await gateway.nobody.get(path, headers={"Accept": accept})
        assert (other.status_code, other.json()) == (404, {"detail": "Not Found"})


async def test_an_api_answers_json_whoever_asks(gateway: Opened) -> None:
    """R6: the form of an error does not hang on `Accept`."""
    answer = await gateway.nobody.get("/graphql/nothing", headers=BROWSER)
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})
    answer = await gateway.nobody.get("/api/v1/nothing", headers=BROWSER)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "api_key_missing")


async def test_a_method_that_a_page_has_not_is_told_on_a_page(gateway: Opened) -> None:
    """O39: with what it has."""
    answer = await gateway.nobody.post("/l/AAAAAAAAAAAA", headers=BROWSER)
    assert answer.status_code == 405
    assert is_page(answer, "Method Not Allowed.")
    assert "GET" in answer.headers["allow"]


async def test_a_page_that_takes_too_long_is_unavailable_and_says_so(store_address: StoreAddress, tmp_path: Path) -> None:
    """O25: a deadline is no fault of the program: 503 as elsewhere, and a browser may come again."""
    async with opened(store_address, tmp_path, deadline=0.000_001) as hurried:
        for path in ("/", "/l/AAAAAAAAAAAA"):
            answer = await hurried.client.get(path, headers=BROWSER)
            assert answer.status_code == 503
            assert answer.headers["retry-after"] == "1"
            assert is_page(answer, "longer than allowed")


async def test_the_way_in_is_told_for_the_directory_that_is_served(
    gateway: Opened, store_address: StoreAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """O19: `agw open` by itself looks in the usual directory; another one, a demo's too, must be named, and is not told to anybody."""
    page = (await gateway.nobody.get("/login")).text
    assert "<code>agw open --data-dir …</code>" in page
    assert str(gateway.services.settings.data_dir) not in page
    monkeypatch.setattr(settings, "user_data_path", lambda *_, **__: tmp_path)
    async with opened(store_address, tmp_path) as usual:
        assert "<code>agw open</code>" in (await usual.nobody.get("/login")).text
