"""How a command ends without having done its work: one line on standard error that says what to do (O14)."""

from __future__ import annotations


class Stop(Exception):  # noqa: N818 - not a fault of the program
    """The command cannot go on; the text is the line that the person reads. `code` is its exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def one_line(message: str) -> str:
    """A message as one printable line."""
    return plain(" ".join(message.split()))


def plain(text: str) -> str:
    """Text as a terminal may show it: what agents wrote could hold control sequences."""
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
