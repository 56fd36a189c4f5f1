"""Events in, state out: the projector (E9-E122), one event at a time, at a cost that grows with what an event changes (E140)."""

from app.domain.projector.projector import Projector

__all__ = ["Projector"]
