"""How a log begins: sessions that fall silent at once and still are at its end, and the keyframe of the first event."""

from base64 import b64encode
from json import dumps
from zlib import DEFLATED, compressobj

from app.demo.stage import Cast, Event, Scene, at
from app.demo.stamps import unix_ms

LONG_SILENCE = 33 * 60_000
"""Ms between the opening and what follows: longer than a node may be silent before it is stale (E115)."""


def opening(cast: Cast) -> Scene:
    """E110, E114, E115: a stale session, one that asked for approval long ago, and one that waits on the stale one."""
    stale, asking = cast.session("codex", "overnight"), cast.session("cursor", "unattended")
    waiting = cast.session("claude-code", "patient")
    yield at(0, "session.started", stale, cwd="/home/dev/harvest-etl", source="startup", title="Backfill the harvest, overnight")
    yield at(800, "status", stale, state="working")
    yield at(400, "task.upserted", stale, id="1", text="Backfill ten years", active_text="Backfilling ten years", status="in_progress")
    yield at(100, "task.upserted", stale, id="2", text="Compare the totals")
    yield at(700, "session.started", asking, cwd="/home/dev/moss-ledger", source="startup")
    yield at(600, "status", asking, state="working")
    yield at(900, "activity", asking, tool="Bash", label="psql -f close-year.sql", may_ask=True)
    yield at(700, "session.started", waiting, cwd="/home/dev/harvest-etl", source="startup")
    yield at(600, "status", waiting, state="working")
    yield at(900, "wait.started", waiting, wait_id="w_backfill", on=stale, reason="Waiting for the backfill")


def first_keyframe(first: Event) -> Event:
    """The keyframe (E127, E128, E134) of a log whose only event is `first`, a session's start with cwd and title.

    As a log's second line it holds true and changes nothing: keyframes after an event are ignored (E21, E131).
    """
    ref, ts, data = first["node"], first["ts"], first["data"]
    node = {
        "id": ref, "kind": "session", "provider": ref.partition(":")[0], "children": [], "state": "idle", "title": data["title"],
        "cwd": data["cwd"], "tasks": [], "spawns": [], "waits": [], "messages": [], "started_at": ts, "last_event_at": ts,
        "open_tasks": 0, "stale": False,
    }  # fmt: skip
    second, milli = divmod(unix_ms(ts), 1000)
    started = {ref: {"secs_since_epoch": second, "nanos_since_epoch": milli * 1_000_000}}
    state = {"nodes": {ref: node}, "processes": {}, "requesters": {}, "ended": {}, "started": started}
    deflate = compressobj(level=0, method=DEFLATED, wbits=-15)  # stored, not squeezed: the same bytes with every zlib
    text = b64encode(deflate.compress(dumps(state).encode()) + deflate.flush()).decode()
    data = {"part": 0, "parts": 1, "text": text}
    return {"v": 1, "id": f"{first['id']}~000000", "ts": ts, "type": "keyframe", "node": "agent-graph:keyframe", "data": data}
