"""Reading event files as one log (E1, E2, E9, E10, E129-E132)."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.cli.event_files import batches, files_in, read_log
from app.cli.event_log import Log
from app.cli.stop import Stop


def line(own_id: str, second: int = 0, **more: Any) -> bytes:
    event = {
        "v": 1,
        "id": own_id,
        "ts": f"2026-01-01T00:00:{second:02d}Z",
        "type": "activity",
        "node": "p:s",
        "data": {"tool": "x"},
        **more,
    }
    return json.dumps(event).encode()


def keyframe(own_id: str, *, part: int = 0, restart: bool = False) -> bytes:
    return line(own_id, type="keyframe", node="agent-graph:keyframe", data={"part": part, "parts": 1, "text": "", "restart": restart})


def ids(log: Log) -> list[str]:
    return [json.loads(text)["id"] for text in (*log.base, *log.lines())]


def log_of(*lines: bytes) -> Log:
    log = Log()
    for text in lines:
        log.add(text)
    return log


def test_events_come_in_order_of_time_then_id() -> None:
    """E10: not in the order of the lines."""
    assert ids(log_of(line("c", 1), line("b", 2), line("a", 2), line("d", 0))) == ["d", "c", "a", "b"]


def test_the_first_of_an_id_counts_even_where_a_later_line_sorts_before_it() -> None:
    """E9: later ones are dropped whatever they say."""
    log = log_of(line("a", 5), line("b", 4), line("a", 1, type="status"))
    assert [json.loads(text)["ts"][17:19] for text in (*log.base, *log.lines())] == ["04", "05"]
    assert log.duplicates == 1


def test_lines_that_are_no_event_are_counted_and_blank_ones_are_not() -> None:
    """E1, E2."""
    log = log_of(b"", b"  \t", b"{", b"[1]", line("a"), b'{"v":1}')
    assert (len(log), log.skipped, log.duplicates) == (1, 3, 0)


def test_the_first_skipped_lines_are_told_with_file_line_and_reason(tmp_path: Path) -> None:
    """E2: a person finds what is wrong; empty lines count too where lines are counted, and a large broken file is not told whole."""
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(line("a") + b"\n\n" + line("b", v="1") + b"\n")
    bad.write_bytes(b"{\n[1]\n" + line("c", node=5) + b"\n" + b"words\n" * 10)
    log = read_log([good, bad], lambda _: None)
    assert log.skipped == 14
    assert log.faults == [
        f"{good}:3: v must be an integer from 0 to 4294967295",
        f"{bad}:1: not JSON",
        f"{bad}:2: not a JSON object",
        f"{bad}:3: node must be a string",
        f"{bad}:4: not JSON",
    ]


def test_the_longest_event_is_known_with_its_place(tmp_path: Path) -> None:
    """Q33: of those that would be sent: no repeated one, and none before a restart."""
    file = tmp_path / "log.jsonl"
    long, longer = line("b", data={"tool": "x" * 100}), line("a", data={"tool": "x" * 200})
    file.write_bytes(b"\n".join([line("a"), long, longer, b"{" + b"x" * 500]))
    assert read_log([file], lambda _: None).longest == (len(long), (file, 2))
    file.write_bytes(b"\n".join([long, keyframe("k~000000", restart=True), line("c")]))
    assert read_log([file], lambda _: None).longest == (len(line("c")), (file, 3))


def test_a_keyframe_counts_only_before_anything_was_accepted() -> None:
    """E129, E131: parts at the start stay in front; later ones are left out and count as nothing."""
    log = log_of(keyframe("k~000000"), b"{", line("b", 1), keyframe("l~000000"), line("a", 0))
    assert ids(log) == ["k~000000", "a", "b"]
    assert (log.skipped, log.duplicates) == (1, 0)


def test_a_restart_forgets_what_came_before_but_not_the_count_of_skipped_lines() -> None:
    """E132."""
    log = log_of(keyframe("k~000000"), line("a", 0), b"{", keyframe("l~000000", restart=True), line("a", 3), line("b", 2))
    assert ids(log) == ["l~000000", "b", "a"]
    assert (log.skipped, log.duplicates) == (1, 0)


def test_folders_are_read_by_name_and_deeply_and_each_file_once(tmp_path: Path) -> None:
    """O5: the layout of folders below folders; other files in them are not event files."""
    for name in ("b/y.jsonl", "a/z.jsonl", "a/notes.txt", "c.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(line(name.replace("/", "")))
    found = files_in([str(tmp_path), str(tmp_path / "c.jsonl"), "-"])
    assert [file and file.relative_to(tmp_path).as_posix() for file in found] == ["a/z.jsonl", "b/y.jsonl", "c.jsonl", None]


def test_lines_end_in_lf_or_crlf_and_the_last_needs_no_end(tmp_path: Path) -> None:
    """E1: and bytes that are not UTF-8 are read as U+FFFD."""
    file = tmp_path / "log.jsonl"
    file.write_bytes(line("a") + b"\r\n" + line("b").replace(b'"x"', b'"\xff"') + b"\n\n" + line("c"))
    read = 0

    def advance(size: int) -> None:
        nonlocal read
        read += size

    log = read_log([file], advance)
    assert ids(log) == ["a", "b", "c"]
    assert read == file.stat().st_size
    assert "\ufffd".encode() in list(log.lines())[1]


def test_standard_input_is_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """O5: `-`."""

    class Input:
        buffer = io.BytesIO(line("a") + b"\n" + line("b"))

    monkeypatch.setattr("sys.stdin", Input())
    assert ids(read_log([None], lambda _: None)) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x7fELF\x00\x00\n", "no text"),
        (b"", "no events there"),
        (b"\n\n", "no events there"),
        (b"hello\nworld\n", "2 lines skipped"),
        (b"{", "1 line skipped"),
    ],
)
def test_input_without_an_event_stops_the_import_with_its_reason(tmp_path: Path, content: bytes, said: str) -> None:
    """O5: exit 1 if nothing could be read."""
    file = tmp_path / "log.jsonl"
    file.write_bytes(content)
    with pytest.raises(Stop, match=said) as stop:
        read_log([file], lambda _: None)
    assert stop.value.code == 1
    assert str(file) in str(stop.value)


def test_a_file_that_is_no_text_among_others_is_left_out_and_told(tmp_path: Path) -> None:
    """E2 in spirit: one bad file does not make the others useless."""
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(line("a"))
    bad.write_bytes(b"\x00\x01")
    log = read_log([bad, good], lambda _: None)
    assert ids(log) == ["a"]
    assert [said.split(":")[0] for said in log.unreadable] == [str(bad)]


def test_batches_are_bounded_by_number_and_bytes() -> None:
    """Q19, Q33: no request grows without bound; a single long line still goes."""
    lines = [b"x" * size for size in (3, 3, 3, 10, 1, 1, 1)]
    cut = list(batches([], lines, 3, 6))
    assert [[len(text) for text in batch] for batch in cut] == [[3, 3], [3], [10], [1, 1, 1]]
    assert next(batches([b"k" * 5, b"k" * 5], lines, 1, 6)) == [b"k" * 5] * 2  # a keyframe goes as a whole


def test_a_long_log_costs_no_memory_and_comes_out_in_order() -> None:
    """O5: sorted beside memory; what is kept of 20,000 events of 1,000 bytes each is a fraction of them."""
    order = list(range(20_000))
    Random(5).shuffle(order)
    log = Log()
    tracemalloc.start()
    for n in order:
        log.add(line(f"{n:06d}", n % 60, data={"text": "x" * 1_000}))
    last, count = b"", 0
    for text in log.lines():
        place = text[text.index(b"T00:00:") :][:9] + text[text.index(b'"id"') :][:16]
        assert last < place
        last, count = place, count + 1
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (count, len(log), log.duplicates) == (20_000, 20_000, 0)
    assert most < 4_000_000
