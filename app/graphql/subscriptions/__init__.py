"""Subscriptions: their messages, and how these reach a caller (Q22-Q28, Q48)."""
