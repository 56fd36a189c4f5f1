"""What makes the store start faster: made once for an installation, used where it is there, never needed (O22)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from filelock import FileLock

from app.embedded import EmbeddedStore
from app.embedded.installation import Installation, find_installation
from app.embedded.start_cache import drop_older, start_cache, usable_cache
from app.store.connection import Store
from app.training import train, training

SECONDS = 60.0


@pytest.fixture(scope="session")
def whole() -> bytes:
    """The file of this installation."""
    path = usable_cache(find_installation())
    assert path is not None
    return path.read_bytes()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this installation's file would be in an empty cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    wanted = start_cache(find_installation())
    assert wanted.is_relative_to(tmp_path)
    wanted.parent.mkdir(parents=True)
    return wanted


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Files that may be changed."""
    for name in ("java", "a.jar", "b.jar"):
        (tmp_path / name).write_bytes(name.encode())
    return Installation(tmp_path / "java", (tmp_path / "a.jar", tmp_path / "b.jar"), "1")


def _mapped(store: EmbeddedStore) -> set[str]:
    return {each.path for each in psutil.Process(store.pid).memory_maps()}


async def _answers(store: EmbeddedStore) -> bool:
    opened = await Store.open(await store.start(), patience=30)
    await opened.close()
    return True


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere nobody tells what a process has mapped")
async def test_a_store_starts_with_the_file_of_its_installation(data_dir: Path) -> None:
    """Java has taken it: it is a part of its memory."""
    cache = usable_cache(find_installation())
    assert cache is not None
    store = EmbeddedStore(data_dir)
    try:
        assert await _answers(store)
        assert str(cache) in _mapped(store)
    finally:
        await store.stop()


@pytest.fixture(params=[lambda whole: b"", lambda whole: b"no such thing" * 1_000, lambda whole: whole[: len(whole) // 2]])
def spoilt(request: pytest.FixtureRequest, whole: bytes, elsewhere: Path) -> Path:
    """A file in its place that is not what it should be."""
    elsewhere.write_bytes(request.param(whole))
    return elsewhere


async def test_a_file_that_is_spoilt_keeps_no_store_from_starting(spoilt: Path, data_dir: Path) -> None:
    """Java looks at it and does without."""
    assert usable_cache(find_installation()) == spoilt
    store = EmbeddedStore(data_dir)
    try:
        assert await _answers(store)
    finally:
        await store.stop()


def test_a_changed_installation_has_a_file_of_its_own(installation: Installation, elsewhere: Path) -> None:
    """And what was made before it changed is removed."""
    before = start_cache(installation)
    before.touch()
    elsewhere.touch()
    assert usable_cache(installation) == before
    os.utime(installation.jars[1], (1, 1))
    after = start_cache(installation)
    assert after != before
    assert usable_cache(installation) is None
    after.touch()
    drop_older(installation)
    assert sorted(elsewhere.parent.iterdir()) == sorted([after, elsewhere])


def test_of_many_installations_the_newest_files_are_kept(installation: Installation, elsewhere: Path) -> None:
    """So that what is gone from the machine does not stay in the cache folder for ever."""
    mine, others = start_cache(installation), [elsewhere.parent / f"other{number}-1.aot" for number in range(7)]
    for age, path in enumerate([mine, *others]):
        path.touch()
        os.utime(path, (age, age))
    drop_older(installation)
    assert sorted(elsewhere.parent.iterdir()) == sorted([mine, *others[-4:]])


def test_an_installation_that_is_gone_has_none(tmp_path: Path) -> None:
    """No error: the start itself says what is missing."""
    assert usable_cache(Installation(tmp_path / "java", (), "1")) is None


def test_only_one_makes_it_at_a_time(elsewhere: Path) -> None:
    """Whoever comes second does without."""
    with FileLock(elsewhere.parent / "making.lock"):
        train()
    assert not elsewhere.exists()


@pytest.mark.parametrize("own", [True, False])
async def test_nothing_is_made_where_it_is_there_or_the_store_is_elsewhere(own: bool, tmp_path: Path) -> None:
    """No process is started."""
    me = psutil.Process()
    before = me.children()
    async with training(EmbeddedStore(tmp_path) if own else None):
        assert me.children() == before


async def test_whoever_makes_it_ends_with_the_gateway(elsewhere: Path, tmp_path: Path) -> None:
    """With its Java; what it left is cleared away by the next."""
    before = set(psutil.Process().children())
    async with training(EmbeddedStore(tmp_path)):
        (maker,) = set(psutil.Process().children()) - before
        family = _with_java(maker)
    assert psutil.wait_procs(family, timeout=SECONDS)[1] == []
    assert usable_cache(find_installation()) is None


def test_it_is_made_whole_also_after_one_who_was_killed(elsewhere: Path) -> None:
    """The file appears when it is done, and nothing else stays."""
    maker = subprocess.Popen([sys.executable, "-m", "app.training"])
    family = _with_java(psutil.Process(maker.pid))
    os.kill(maker.pid, signal.SIGKILL)
    maker.wait()
    psutil.wait_procs(family, timeout=SECONDS)
    assert not elsewhere.exists()
    train()
    assert elsewhere.stat().st_size > 10_000_000
    assert {path.name for path in elsewhere.parent.iterdir()} - {"making.lock"} == {elsewhere.name}


def _with_java(process: psutil.Process) -> list[psutil.Process]:
    """A process and those below it, once Java is among them."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        family = [process, *process.children(recursive=True)]
        if any("java" in each.name() for each in family):
            return family
        time.sleep(0.05)
    raise AssertionError("no Java")
