"""An independent verifier for files of sealed Kontor matches, written from the public documents alone.

`judge(data)` gives a `Judgement`: code 0 verified, 1 refuted, 2 unreadable, 3 cannot judge.
"""

from __future__ import annotations

from .verdict import Judgement, judge

__all__ = ["Judgement", "judge"]
