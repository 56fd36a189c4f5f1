"""A state that comes in pieces is the state that its text says as a whole (E130, E134): also where the text is spoilt."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from app.domain.keyframe import KeyframeRefused
from app.domain.projector import pieces, stored
from app.domain.projector.pieces import members
from tests.oracle import keyframe_state, log_of
from tests.strategies.logs import random_log

MAPPINGS = ("nodes", "processes")
TEXTS = ["", 'é\n"}]{[,:\\', "\\\\", "\\u0022", "a" * 90]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts what would be far too little to be cut."""
    monkeypatch.setattr(pieces, "_WHOLE", 0)
    monkeypatch.setattr(pieces, "PIECE", 100)


def value(dice: random.Random, depth: int) -> Any:
    kind = dice.randrange(10) if depth else 0
    if kind < 4:
        return dice.choice([None, True, -1.5e3, 2**60, *TEXTS])
    if kind < 7:
        return {f"{dice.choice(TEXTS)}{n}": value(dice, depth - 1) for n in range(dice.randrange(4))}
    return [value(dice, depth - 1) for _ in range(dice.randrange(4))]


def written(dice: random.Random, value: Any) -> bytes:
    separators = dice.choice([None, (",", ":"), (" , ", "\r\n: ")])
    text = json.dumps(value, ensure_ascii=dice.random() < 0.5, indent=dice.choice([None, 1, "\t"]), separators=separators)
    return f" \n{text}\t".encode()


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.usefixtures("small")
def test_put_together_the_pieces_are_the_whole(seed: int) -> None:
    """Any object, however it is written; a mapping's pieces hold its members in order, and few at once."""
    dice = random.Random(seed)
    wanted = {
        name: {f"{n}{dice.choice(TEXTS)}": value(dice, 6) for n in range(dice.randrange(30))} for name in ("nodes", "other", "processes")
    }
    wanted |= {"rest": value(dice, 6), "processes ": value(dice, 6)}
    found = members(written(dice, wanted), MAPPINGS)
    assert list(found) == list(wanted)
    for name, texts in found.items():
        read = [json.loads(text) for text in texts]
        if name in MAPPINGS:
            assert [pair for piece in read for pair in piece.items()] == list(wanted[name].items())
            assert all(sum(len(json.dumps(each)) for each in list(piece.items())[:-1]) < 400 for piece in read)
        else:
            assert read == [wanted[name]]


def state_of(seed: int) -> bytes:
    log = log_of(random_log(seed, 40, odd_times=False))
    return json.dumps(keyframe_state(log, len(log.events))).encode()


def spoilt(dice: random.Random, text: bytes) -> bytes:
    """One place cut out, doubled, or replaced; or a member said twice."""
    at, end = sorted(dice.randrange(len(text)) for _ in range(2))
    if dice.random() < 0.7:
        end = at + 1
    kind = dice.randrange(4)
    if kind == 0:
        return text[:at] + text[end:]
    if kind == 1:
        return text[:end] + text[at:]
    if kind == 2:
        return text[:at] + dice.choice([b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b" ", b"0", b"null"]) + text[end:]
    return (
        text.rstrip()[:-1]
        + b","
        + dice.choice([b'"nodes":{}', b'"nodes":[]', b'"started":{}', b'"ended":null', b'"x":[[]]', b'"x":[}'])
        + b"}"
    )


def taken_up(text: bytes) -> bytes | None:
    try:
        return stored.dump(stored.load(text, 0))
    except KeyframeRefused:
        return None


@pytest.mark.parametrize("seed", range(20))
def test_cut_or_not_a_state_is_the_same_or_refused(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """E130: whether a text is cut never decides what it says."""
    dice, text = random.Random(seed), state_of(seed)
    texts = [text, *(spoilt(dice, text) for _ in range(200))]
    whole = [taken_up(each) for each in texts]
    monkeypatch.setattr(pieces, "_WHOLE", 0)
    monkeypatch.setattr(pieces, "PIECE", dice.choice([0, 100, 1_000]))
    assert [taken_up(each) for each in texts] == whole
    assert whole[0] is not None
    assert 20 < sum(each is None for each in whole) < 200
