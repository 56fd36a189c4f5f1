"""Messages to full refs, to names, to nobody; replies and repeats. What activity does not do."""

from app.demo import texts
from app.demo.scenes.bounds import LATE_OVER, closed, opened
from app.demo.stage import Cast, Scene, at


def messages(cast: Cast) -> Scene:
    """E102–E106: who receives a message, whom it is shown as sent to, and what one sent twice does; a text cut to fit (E138)."""
    s, other, later = cast.session("claude-code", "pigeon"), cast.session("codex", "pigeon"), cast.session("cursor", "pigeon")
    long = "The coast is clear from the mole to the lighthouse, and the signal lamp has been trimmed. " * 40
    yield from opened(cast, s)
    yield from opened(cast, other)
    yield at(300, "agent.spawned", f"{s}/scribe", s, agent_type="writer")
    yield at(300, "message.sent", s, message_id="m1", to=other, summary="Route", body=texts.cut(long, 3_000))
    yield at(300, "message.sent", other, message_id="m1", to=s, reply_to="m1", summary="Seen")
    yield at(300, "message.sent", s, message_id="m2", to="scribe", body="Write it down")
    yield at(300, "message.sent", f"{s}/scribe", message_id="m1", to=s, reply_to="m2", summary="Written")
    yield at(300, "message.sent", s, message_id="m2", to=other, body="Sent twice, not taken")
    yield at(300, "message.sent", s, message_id="m3", to="the harbour master", body="Nobody of that name")
    yield at(300, "message.sent", s, message_id="m4", to=s, body="Remember the lamp")
    yield at(300, "message.sent", s, message_id="m5", to=later, body="Before you were here")
    yield from opened(cast, later)
    yield at(300, "message.sent", later, message_id="m1", to=f"{s}/scribe", body="Here now")
    yield at(300, "agent.finished", f"{s}/scribe", background=False)
    yield from closed(later, other, s)


def activity(cast: Cast) -> Scene:
    """E107, E108: activity keeps a node fresh and sets no state."""
    s = cast.session("codex", "clockmaker")
    yield at(0, "session.started", s, source="startup")
    yield at(900, "activity", s, tool="Read", label="gears.md")
    yield at(900, "activity", s, tool="Bash", label="wind spring")
    yield at(LATE_OVER, "session.ended", s)
    yield at(900, "activity", s, tool="Bash", label="tick")


SCENES = (messages, activity)
