"""The three ways in which a file can fail."""

from __future__ import annotations


class Unreadable(Exception):
    """The bytes cannot be split into records (code 2)."""


class CannotJudge(Exception):
    """A match of rules, data or a version that this verifier does not have (code 3)."""


class Refuted(Exception):
    """What the file says does not hold (code 1)."""


class Fault(Refuted):
    """A signed message breaks a rule or fails a check; `blamed` is the peer whose fault that is."""

    def __init__(self, blamed: int, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.blamed = blamed
        self.code = code
