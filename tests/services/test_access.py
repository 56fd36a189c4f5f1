"""Keys, logins and the operator's key against a real store (R8-R10, O17-O19)."""

from __future__ import annotations

import asyncio
import stat
from base64 import b64encode
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from app.domain.ids import new_graph_id
from app.domain.key_form import is_key, new_secret, shown
from app.domain.problems import BadUserInput, Forbidden, NotFound, Unauthenticated
from app.services import operator_key
from app.services.access import DAY_MS, Access, credential
from app.services.keys import Keys, hashed
from app.services.known import KnownKeys
from app.services.logins import CODE_MS, LOGIN_MS, Logins, login_ids
from app.services.operator_key import FILE, ensure_operator, kept_key
from app.services.origin import same_origin
from app.services.viewer import ALL_SCOPES, Viewer
from app.store import graphs
from app.store.access import KnownKey, known_key
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.tally import tallied

START = 1_780_000_000_000


class Hands:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


def soon() -> Deadline:
    return Deadline.after(20)


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture(params=[False, True], ids=["shared", "sole"])
def known(request: pytest.FixtureRequest) -> KnownKeys:
    """Whether other processes may change the store, or this one alone does and remembers look-ups."""
    return KnownKeys(sole=request.param)


@pytest.fixture
async def access(store: Store, clock: Hands, known: KnownKeys) -> AsyncIterator[Access]:
    opened = Access(store, clock, known)
    yield opened
    await opened.close()


@pytest.fixture
def keys(store: Store, clock: Hands, known: KnownKeys) -> Keys:
    return Keys(store, clock, known)


@pytest.fixture
def logins(store: Store, clock: Hands, known: KnownKeys) -> Logins:
    return Logins(store, clock, known)


@pytest.fixture
def admin() -> Viewer:
    """An admin of an account that no other test uses."""
    return Viewer(f"account-{uuid4().hex[:12]}", ALL_SCOPES, key_id="0" * 64)


async def all_text(store: Store) -> str:
    """Everything that the store holds about access, as text."""
    found: list[str] = []

    async def work(transaction: Transaction) -> None:
        found.clear()
        for label in ("Account", "Key", "Login", "LoginCode"):
            found.extend(str(record["p"]) for record in await transaction.run_text(f"MATCH (x:{label}) RETURN properties(x) AS p"))

    await store.write(work, soon())
    return "\n".join(found)


def test_a_new_key_has_the_form_of_r9_and_is_shown_by_its_ends() -> None:
    """R9: `ag_sk_live_` or `ag_rk_live_` and 32 base62 characters; shown as first 11, `****`, last 4."""
    secret, restricted = new_secret(), new_secret(restricted=True)
    assert secret.startswith("ag_sk_live_")
    assert restricted.startswith("ag_rk_live_")
    assert is_key(secret)
    assert is_key(restricted)
    assert len(secret) == 43
    assert shown(secret) == "ag_sk_live_****" + secret[-4:]
    assert len({new_secret() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "text", ["", "ag_sk_live_", "ag_sk_live_" + "a" * 31, "ag_sk_live_" + "a" * 33, "ag_sk_test_" + "a" * 32, "ag_sk_live_" + "ä" * 32]
)
def test_anything_else_is_no_key(text: str) -> None:
    """R9: anything else is not a key."""
    assert not is_key(text)


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("Bearer abc", "abc"),
        ("  bEARER   abc  rest ", "abc"),
        ("Basic " + b64encode(b"abc:ignored:too").decode(), "abc"),
        ("basic " + b64encode(b"abc").decode(), "abc"),
        ("Basic " + b64encode(b":pw").decode(), None),
        ("Basic %%%", None),
        ("Basic ÿþ", None),  # bytes that are not ASCII, as a server reads them
        ("Basic " + b64encode(b"\xff\xfe").decode(), None),
        ("Bearer", None),
        ("Digest abc", None),
        ("", None),
    ],
)
def test_the_credential_is_read_as_r8_says(header: str, found: str | None) -> None:
    """R8: Bearer's second word or Basic's user name, schemes in any case."""
    assert credential(header) == found


async def test_a_key_gives_its_account_scopes_and_nothing_of_it_is_kept(store: Store, access: Access, keys: Keys, admin: Viewer) -> None:
    """R9, O17: only the SHA-256 of a key is stored; the viewer has its account and just its scopes."""
    row, secret = await keys.create(admin, "  reader ", ["read"], soon())
    viewer = await access.viewer(f"Bearer {secret}")
    assert viewer == Viewer(admin.account, frozenset({"read"}), None, hashed(secret))
    assert row.name == "reader"
    assert row.id == hashed(secret)
    with pytest.raises(Forbidden):
        viewer.require("write")
    text = await all_text(store)
    assert row.id in text
    assert secret not in text
    assert secret[11:] not in text


@pytest.mark.parametrize("header", [None, "", "Bearer nonsense", "Bearer " + "ag_sk_live_" + "z" * 32, "Digest x"])
async def test_without_a_known_key_there_is_no_viewer(access: Access, header: str | None) -> None:
    """R8, R9: no key, a malformed one and one that is not on record are the same to the caller."""
    assert await access.viewer(header) is None


async def test_revoking_takes_effect_at_the_next_request_in_every_process(
    store: Store, clock: Hands, access: Access, keys: Keys, admin: Viewer
) -> None:
    """R9: another process that has just used the key refuses it too."""
    row, secret = await keys.create(admin, "short-lived", ["read"], soon())
    other = Access(store, clock)
    assert await other.viewer(f"Bearer {secret}") is not None
    assert await access.viewer(f"Bearer {secret}") is not None
    await keys.revoke(admin, row.id, soon())
    assert await access.viewer(f"Bearer {secret}") is None
    assert await other.viewer(f"Bearer {secret}") is None
    with pytest.raises(NotFound):
        await keys.revoke(admin, row.id, soon())
    await other.close()


async def test_a_key_ends_at_its_expiry(access: Access, keys: Keys, admin: Viewer, clock: Hands) -> None:
    """R9: from its expiry on a key is not valid."""
    _, secret = await keys.create(admin, "an hour", ["read"], soon(), expires=START + 3_600_000)
    clock.now = START + 3_599_999
    assert await access.viewer(f"Bearer {secret}") is not None
    clock.now += 1
    assert await access.viewer(f"Bearer {secret}") is None


async def test_the_last_use_is_noted_once_a_day(access: Access, keys: Keys, admin: Viewer, clock: Hands) -> None:
    """R9: `last used` is refreshed at most once a day."""
    row, secret = await keys.create(admin, "used", ["read"], soon())

    async def used_at(now: int) -> int | None:
        clock.now = now
        assert await access.viewer(f"Bearer {secret}") is not None
        await access.close()
        return next(found.last_used for found in await keys.of_account(admin, soon()) if found.id == row.id)

    assert await used_at(START) == START
    assert await used_at(START + DAY_MS - 1) == START
    assert await used_at(START + DAY_MS) == START + DAY_MS


@pytest.mark.parametrize(
    ("name", "scopes", "graphs", "expires", "argument"),
    [
        (" ", ["read"], None, None, "name"),
        ("x" * 101, ["read"], None, None, "name"),
        ("ok", [], None, None, "scopes"),
        ("ok", ["root"], None, None, "scopes"),
        ("ok", ["read", "admin"], [new_graph_id()], None, "scopes"),
        ("ok", ["read"], [], None, "graphIds"),
        ("ok", ["read"], ["nonsense"], None, "graphIds"),
        ("ok", ["read"], None, START, "expires"),
    ],
)
async def test_bad_keys_are_refused(
    keys: Keys, admin: Viewer, name: str, scopes: list, graphs: list[str] | None, expires: int | None, argument: str
) -> None:
    """R12, Q21: name, scopes, graphs and expiry are checked, and the argument is named."""
    with pytest.raises(BadUserInput) as refused:
        await keys.create(admin, name, scopes, soon(), graph_ids=graphs, expires=expires)
    assert refused.value.extra["argument"] == argument
    assert await keys.of_account(admin, soon()) == []


async def test_a_restricted_key_names_graphs_of_its_own_account(store: Store, access: Access, keys: Keys, admin: Viewer) -> None:
    """R10, R12: own graphs only, each once; the viewer sees those alone."""
    mine, other = new_graph_id(), new_graph_id()
    for graph, account in ((mine, admin.account), (other, "somebody-else")):
        await graphs.create(
            store, graph_id=graph, account=account, title=None, source="watch", created=1, retention=None, deadline=soon()
        )  # fmt: skip
    with pytest.raises(NotFound):
        await keys.create(admin, "theirs", ["read"], soon(), graph_ids=[mine, other])
    row, secret = await keys.create(admin, "mine", ["read"], soon(), graph_ids=[mine, mine.removeprefix("gph_")])
    assert secret.startswith("ag_rk_live_")
    assert row.graph_ids == [mine]
    viewer = await access.viewer(f"Bearer {secret}")
    assert viewer is not None
    assert viewer.may_see(mine)
    assert not viewer.may_see(other)


async def test_an_account_has_at_most_twenty_keys_also_when_they_come_at_once(keys: Keys, admin: Viewer) -> None:
    """R12: at most 20 keys an account."""
    made = await asyncio.gather(*(keys.create(admin, f"k{n}", ["read"], soon()) for n in range(23)), return_exceptions=True)
    assert sum(isinstance(one, BadUserInput) for one in made) == 3
    assert len(await keys.of_account(admin, soon())) == 20


async def test_only_the_operator_makes_keys_of_other_accounts(keys: Keys, admin: Viewer, access: Access) -> None:
    """O18: a new account's name makes the account; anybody else's admin key may not."""
    with pytest.raises(Forbidden):
        await keys.create(admin, "sneaky", ["read"], soon(), account="local")
    with pytest.raises(Forbidden):
        await keys.of_account(admin, soon(), account="local")
    with pytest.raises(Forbidden):
        await keys.create(Viewer(admin.account, frozenset({"read", "write"})), "no admin", ["read"], soon())
    operator = Viewer("local", ALL_SCOPES, operator=True)
    row, secret = await keys.create(operator, "theirs", ["read"], soon(), account=admin.account + "-new")
    viewer = await access.viewer(f"Bearer {secret}")
    assert viewer is not None
    assert viewer.account == admin.account + "-new"
    assert not viewer.operator
    with pytest.raises(NotFound):  # another account's key is not there for an admin (R10)
        await keys.revoke(admin, row.id, soon())
    await keys.revoke(operator, row.id, soon())


async def test_a_code_signs_in_once_within_ten_minutes(
    store: Store, access: Access, keys: Keys, logins: Logins, admin: Viewer, clock: Hands
) -> None:
    """O19: a code is good once and for ten minutes; of two that try at once one succeeds; hashes alone are kept."""
    row, _ = await keys.create(admin, "person", ["read", "write"], soon())
    viewer = Viewer(admin.account, ALL_SCOPES, key_id=row.id)
    code = await logins.code(viewer, soon())
    tried = await asyncio.gather(*(logins.redeem(code, soon()) for _ in range(5)), return_exceptions=True)
    tokens = [one for one in tried if isinstance(one, str)]
    assert len(tokens) == 1
    assert sum(isinstance(one, Unauthenticated) for one in tried) == 4
    signed_in = await access.viewer(None, f"other=1; agw_login_8080={tokens[0]}")
    assert signed_in == Viewer(admin.account, frozenset({"read", "write"}), None, None, hashed(tokens[0]))
    text = await all_text(store)
    assert code not in text
    assert tokens[0] not in text

    late = await logins.code(viewer, soon())
    clock.now += CODE_MS
    with pytest.raises(Unauthenticated):
        await logins.redeem(late, soon())
    for wrong in ("", "x", "y" * 10_000):
        with pytest.raises(Unauthenticated):
            await logins.redeem(wrong, soon())


async def test_a_login_lasts_thirty_days_and_ends_with_its_key_or_by_signing_out(
    access: Access, keys: Keys, logins: Logins, admin: Viewer, clock: Hands
) -> None:
    """O19: 30 days; revoking its key ends it at the next request, signing out ends that login alone."""
    row, secret = await keys.create(admin, "person", ["read"], soon())
    first, second, third = [f"agw_login={await logins.with_key(secret, soon())}" for _ in range(3)]
    await logins.sign_out(first, soon())
    assert await access.viewer(None, first) is None
    assert await access.viewer(None, second) is not None
    clock.now += LOGIN_MS - 1
    assert await access.viewer(None, second) is not None
    clock.now += 1
    assert await access.viewer(None, second) is None
    clock.now = START
    code = await logins.code_for(row.id, soon())
    await keys.revoke(admin, row.id, soon())
    assert await access.viewer(None, third) is None
    with pytest.raises(Unauthenticated):
        await logins.redeem(code, soon())
    with pytest.raises(Unauthenticated):
        await logins.with_key(secret, soon())


async def test_a_wrong_key_is_refused_even_with_a_good_cookie(access: Access, keys: Keys, logins: Logins, admin: Viewer) -> None:
    """R8: a key that was sent counts; `Basic` for a proxy in front is none and leaves the cookie."""
    _, secret = await keys.create(admin, "person", ["read"], soon())
    cookie = f"agw_login={await logins.with_key(secret, soon())}"
    assert await access.viewer("Bearer wrong", cookie) is None
    assert await access.viewer("Bearer " + new_secret(), cookie) is None
    assert await access.viewer("Basic " + b64encode(b"proxy:user").decode(), cookie) is not None


def test_only_login_cookies_are_looked_at_and_few_of_them() -> None:
    """O19: other cookies and oversized values are left out; at most 8 look-ups."""
    assert login_ids(None) == login_ids("a=b; agw_loginx=1") == login_ids("agw_login=" + "x" * 101) == []
    assert login_ids("a=b; agw_login=t1;agw_login_80=t2") == [hashed("t1"), hashed("t2")]
    assert len(login_ids("; ".join(f"agw_login_{n}=t{n}" for n in range(50)))) == 8


async def test_the_operators_key(store: Store, access: Access, tmp_path: Path, keys: Keys, logins: Logins) -> None:
    """O18: made once by one of several processes, kept 0600, found again, replaced by AGW_ADMIN_KEY with what came from it."""

    async def forget(transaction: Transaction) -> None:
        await transaction.run_text("MATCH (a:Account {name: 'local'}) SET a.operator = null")

    await store.write(forget, soon())
    folders = [tmp_path / name for name in ("a", "a", "a", "b", "b", "c")]
    for folder in folders:
        folder.mkdir(exist_ok=True)
    claims = await asyncio.gather(*(ensure_operator(access, folder, None, soon()) for folder in folders))
    assert len({claim.id for claim in claims}) == 1
    assert sum(claim.secret is not None and hashed(claim.secret) == claim.id for claim in claims) >= 1
    holders = [folder for folder in {*folders} if kept_key(folder)]
    assert len(holders) == 1
    made = kept_key(holders[0])
    assert made is not None
    assert hashed(made) == claims[0].id
    assert stat.S_IMODE((holders[0] / FILE).stat().st_mode) == 0o600
    assert [path.name for path in holders[0].iterdir()] == [FILE]

    again = await ensure_operator(access, holders[0], None, soon())
    assert (again.secret, again.made) == (made, False)
    viewer = await access.viewer(f"Bearer {made}")
    assert viewer == Viewer("local", ALL_SCOPES, None, hashed(made), operator=True)
    with pytest.raises(BadUserInput):
        await keys.revoke(viewer, hashed(made), soon())

    cookie = f"agw_login={await logins.with_key(made, soon())}"
    through_login = await access.viewer(None, cookie)
    assert through_login is not None
    assert through_login.operator
    given = new_secret()
    replaced = await ensure_operator(access, holders[0], given, soon())
    assert replaced.id == hashed(given)
    assert kept_key(holders[0]) == given
    assert await access.viewer(f"Bearer {made}") is None
    assert await access.viewer(None, cookie) is None
    assert (await access.viewer(f"Bearer {given}")) is not None
    same = await ensure_operator(access, holders[0], given, soon())
    assert same.id == hashed(given)


async def test_a_key_that_a_dying_process_left_in_its_file_is_taken_up(
    store: Store, access: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """O18: killed between writing the file and telling the store, the next start has a key that works."""

    async def forget(transaction: Transaction) -> None:
        await transaction.run_text("MATCH (a:Account {name: 'local'}) SET a.operator = null")

    await store.write(forget, soon())

    async def killed(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Access, "claim_operator", killed)
        with pytest.raises(KeyboardInterrupt):
            await ensure_operator(access, tmp_path, None, soon())
    left = kept_key(tmp_path)
    found = await ensure_operator(access, tmp_path, None, soon())
    assert left is not None
    assert found.secret == left
    assert found.id == hashed(left)
    assert operator_key.kept_key(tmp_path) == left


async def test_a_look_up_that_a_revocation_overtook_is_not_remembered(store: Store, clock: Hands, keys: Keys, admin: Viewer) -> None:
    """R9: a request that was being looked up while its key was revoked leaves nothing behind that a later one could use."""
    known = KnownKeys(sole=True)
    row, _ = await keys.create(admin, "racing", ["read"], soon())

    async def slow(deadline: Deadline) -> KnownKey | None:
        found = await known_key(store, row.id, deadline)
        await Keys(store, clock, known).revoke(admin, row.id, soon())
        return found

    assert await known.find(row.id, slow, soon()) is not None
    assert await known.find(row.id, partial(known_key, store, row.id), soon()) is None


async def test_who_asks_after_a_revocation_is_refused_while_others_are_still_being_looked_up(
    store: Store, access: Access, keys: Keys, admin: Viewer
) -> None:
    """R9: a hundred who ask at the same time are a few look-ups, and none who asks after the revocation is given one begun before it."""
    row, secret = await keys.create(admin, "many", ["read"], soon())
    header = f"Bearer {secret}"
    await access.viewer(header)
    await access.close()  # its use has been noted
    with tallied() as tally:
        before = await asyncio.gather(*(access.viewer(header) for _ in range(100)))
    assert all(viewer is not None and viewer.key_id == row.id for viewer in before)
    assert tally.statements <= 2
    asking = [asyncio.create_task(access.viewer(header)) for _ in range(100)]
    await asyncio.sleep(0)
    await keys.revoke(admin, row.id, soon())
    after = await asyncio.gather(*(access.viewer(header) for _ in range(100)))
    await asyncio.gather(*asking)
    assert after == [None] * 100


HOST = {"host": "127.0.0.1:8080"}


@pytest.mark.parametrize(
    ("headers", "public_url", "same"),
    [
        ({"sec-fetch-site": "same-origin"}, None, True),
        ({"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8080"}, None, True),
        ({"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:8080"}, None, False),
        ({"sec-fetch-site": "cross-site"}, None, False),
        ({"sec-fetch-site": "none"}, None, False),
        ({"origin": "http://127.0.0.1:8080"}, None, True),
        ({"origin": "http://127.0.0.1:8081"}, None, False),
        ({"origin": "http://localhost:8080"}, None, False),
        ({"origin": "null"}, None, False),
        ({"origin": ""}, None, False),
        ({}, None, False),
        ({"referer": "http://127.0.0.1:8080/"}, None, False),
        ({"origin": "https://graphs.example"}, "https://graphs.example", True),
        ({"origin": "https://graphs.example"}, "https://graphs.example:443", True),
        ({"origin": "https://GRAPHS.example"}, "https://graphs.example/", True),
        ({"origin": "http://graphs.example"}, "https://graphs.example", False),
        ({"origin": "https://graphs.example.evil"}, "https://graphs.example", False),
        ({"origin": "https://evil@127.0.0.1:8080"}, None, False),
        ({"origin": "file://"}, None, False),
    ],
)
def test_only_our_own_pages_may_use_the_cookie(headers: dict[str, str], public_url: str | None, same: bool) -> None:
    """Q34: a same-origin Origin or Sec-Fetch-Site: same-origin."""
    assert same_origin({**HOST, **headers}, public_url) is same


def test_an_origin_without_a_host_is_never_ours() -> None:
    """Q34: two empty hosts are not the same origin."""
    assert not same_origin({"origin": "http://", "host": ""}, None)
    assert not same_origin({"origin": "http://"}, None)
