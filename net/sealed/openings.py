"""The openings in one frame: whether they show exactly the cards that its actions name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .bodies import Cheat, decode_opening
from .card_table import CardTable
from .checks import OpenGround, Verdict

NIL = b"\xc0"  # in the place of an opening: all cards that this action shows are public already

Claim: TypeAlias = tuple[int, Sequence[tuple[int, int]]]  # want number of the opening, (slot, face) pairs


def checked_openings(
    table: CardTable, author: int, seat: int, claims: Sequence[Claim], raws: Sequence[bytes], trusted: bool = False
) -> list[Verdict]:
    """Check the openings of one frame together, for `commit_openings`; raises Cheat and changes nothing.

    There is one claim for each action that shows cards, and `raws` are the elements of the frame's field `u`.
    `trusted`: the proofs were checked before.
    """
    if len(raws) != len(claims):
        raise Cheat(author, "shr.form")
    verdicts: list[Verdict] = []
    for (r, pairs), raw in zip(claims, raws, strict=True):
        body = None if raw == NIL else decode_opening(author, raw)
        check = table.check_opening(seat, r, pairs, body)
        if check is not None:
            verdicts.append(check.run(own=trusted))
    grounds = [verdict.check.ground for verdict in verdicts]
    hidden = [slot for ground in grounds if isinstance(ground, OpenGround) for slot, _, _ in ground.cards]
    if len(set(hidden)) != len(hidden):
        raise Cheat(author, "shr.card")  # one hidden card is shown twice
    return verdicts
