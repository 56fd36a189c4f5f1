"""Generated logs that hit the rules hard: as hypothesis strategies, and from a seed for long runs.

A log is a list of envelopes. By default they are in E10 order, ids are unique and every one fits E3, so the n-th envelope is the
n-th event. `shuffled` takes them out of order, `duplicates` repeats some ids with other contents, `malformed` adds envelopes
that do not fit E3; `odd_times` (on by default) allows unreadable times and other offsets.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from tests.oracle.times import time_of
from tests.strategies.drafts import ODD_TIME_FORMS, Draft
from tests.strategies.motifs import draw_some
from tests.strategies.vocabulary import Cast, Choices, DrawnChoices, RandomChoices, draw_cast

Event = dict[str, Any]

START = datetime(2027, 3, 4, 9, tzinfo=UTC)
START_NS = int(START.timestamp()) * 1_000_000_000
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
EVENTS_PER_CAST = 70
MALFORMED: tuple[dict[str, Any], ...] = (
    *({"v": "1"}, {"v": -1}, {"v": True}, {"v": 1.0}, {"id": None}, {"ts": 5}, {"type": None}, {"node": 17}, {"parent": 5}),
    *({"source": {"adapter": "x@1"}}, {"source": "acme"}, {"source": {"provider": "acme", "adapter": 3}}),
)


def write_time(nanoseconds: int, form: str) -> str:
    """A time (nanoseconds since 1970) as a ts of that form; a form with fewer digits cuts the rest."""
    moment = datetime.fromtimestamp(nanoseconds // 1_000_000_000, tz=UTC)
    digits = f"{nanoseconds % 1_000_000_000:09}"
    clock = moment.strftime("%Y-%m-%dT%H:%M:%S")
    west = (moment - timedelta(hours=5, minutes=30)).strftime("%Y-%m-%dT%H:%M:%S")
    east = (moment + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S")
    return {
        "milliseconds": f"{clock}.{digits[:3]}Z",
        "seconds": f"{clock}Z",
        "short": f"{clock}.{digits[:3].rstrip('0') or '0'}Z",
        "micro": f"{clock}.{digits[:6]}Z",
        "nano": f"{clock}.{digits[:8]}1Z",
        "long": f"{clock}.{digits}777Z",
        "space": f"{clock}.{digits[:3]}Z".replace("T", " "),
        "zero offset": f"{clock}.{digits[:3]}+00:00",
        "no zone": f"{clock}.{digits[:3]}",
        "offset": f"{east}.{digits[:3]}+01:00",
        "offset west": f"{west}.{digits[:3]}-05:30",
        "leap second": f"{clock[:17]}60.{digits[:3]}Z",
        "words": "half past nine",
        "empty": "",
        "no such day": "2027-02-30T09:00:00.000Z",
        "no such hour": "2027-03-04T24:00:00.000Z",
    }[form]


def _crockford(number: int, length: int) -> str:
    return "".join(CROCKFORD[number >> 5 * place & 31] for place in reversed(range(length)))


def _finish(drafts: list[Draft], odd_times: bool) -> list[Event]:
    """Gives the drafts their times and ids, and puts them in E10 order."""
    events, now = [], START_NS
    for place, draft in enumerate(drafts):
        now += draft.step
        form = draft.time_form if odd_times or draft.time_form not in ODD_TIME_FORMS else "milliseconds"
        sequence = place + 1 if draft.id_in_sequence else (1 << 70) - place
        event: Event = {
            "v": 1,
            "id": _crockford(now // 1_000_000, 10) + _crockford(sequence, 16),
            "ts": write_time(now, form),
            "type": draft.kind,
            "node": draft.node,
            **({"parent": draft.parent} if draft.parent is not None else {}),
            **({"source": draft.source} if draft.source is not None else {}),
            **({"data": draft.data} if draft.has_data else {}),
        }
        events.append(event)
    return sorted(events, key=lambda event: (time_of(event["ts"]), event["id"]))


def _spoil(choices: Choices, events: list[Event], duplicates: bool, malformed: bool) -> list[Event]:
    """Adds repeated ids and envelopes that do not fit E3, about one for every ten events."""
    spoilt = []
    for event in events:
        spoilt.append(event)
        if duplicates and choices.percent() >= 90:
            spoilt.append({**choices.pick(events), "id": event["id"]})
        if duplicates and choices.percent() >= 95:
            spoilt.append(choices.pick(spoilt))
        if malformed and choices.percent() >= 90:
            spoilt.append({**choices.pick(events), **choices.pick(MALFORMED)})
    return spoilt


@st.composite
def logs(
    draw: st.DrawFn,
    min_events: int = 1,
    max_events: int = 60,
    *,
    shuffled: bool = False,
    duplicates: bool = False,
    malformed: bool = False,
    odd_times: bool = True,
) -> list[Event]:
    """Logs of `min_events` to `max_events` events, repeated and malformed ones not counted."""
    cast = draw_cast(DrawnChoices(draw))
    drafts = [draft for some in draw(st.lists(_some(cast), min_size=min_events, max_size=max_events)) for draft in some][:max_events]
    events = _spoil(DrawnChoices(draw), _finish(drafts, odd_times), duplicates, malformed)
    return draw(st.permutations(events)) if shuffled else events


@st.composite
def _some(draw: st.DrawFn, cast: Cast) -> list[Draft]:
    return draw_some(DrawnChoices(draw), cast)


def random_log(
    seed: int,
    events: int,
    *,
    shuffled: bool = False,
    duplicates: bool = False,
    malformed: bool = False,
    odd_times: bool = True,
) -> list[Event]:
    """The log of so many events that this seed stands for; every so often other nodes come on, the earlier ones act on now and then."""
    source = random.Random(seed)
    choices = RandomChoices(source)
    casts: list[Cast] = []
    drafts: list[Draft] = []
    while len(drafts) < events:
        if len(drafts) >= len(casts) * EVENTS_PER_CAST:
            casts.append(draw_cast(choices, (f"pine{len(casts) or ''}", f"oak{len(casts) or ''}")))
        cast = casts[-1] if source.random() < 0.9 else source.choice(casts)
        drafts += draw_some(choices, cast)
    found = _spoil(choices, _finish(drafts[:events], odd_times), duplicates, malformed)
    if shuffled:
        source.shuffle(found)
    return found


def log_bytes(events: list[Event]) -> bytes:
    """The log's text: one envelope a line."""
    return "".join(json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n" for event in events).encode()
