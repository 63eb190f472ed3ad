"""Worlds: what the hidden cards may be, drawn from what one seat knows, and a dealer for each.

A world gives every unseen slot a face, each arrangement that fits what the seat knows as likely as the next
(`Game.unseen`). It answers the wants of the engine as a dealer does, without minding who holds what: the rules see to
that. Everything follows from a seed, so two lines of play meet the same cards in the same world.
"""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Chance, Game, GameState, Known
from kontor_games.engine.core.chance import Deal, Dealt, Desk, Mix, Mixed, Move, Moved, Rolled
from kontor_games.engine.core.stream import Stream, u32


class World:
    """The faces of all slots in one arrangement, and what chance will bring in it."""

    def __init__(self, game: Game[Any], state: GameState, known: Known, seed: bytes) -> None:
        self.faces: Known = {**dict(state.desk.faces), **known}
        self._seed = seed
        self._rolls = 0
        self._whims = Stream("world-whims", seed)
        stream = Stream("world", seed)
        for faces, slots in game.unseen(state, known):
            left = list(faces)
            for place, slot in enumerate(slots):  # a part of a shuffle: there may be more faces than slots
                other = place + stream.below(len(left) - place)
                left[place], left[other] = left[other], left[place]
                self.faces[slot] = left[place]

    def answer(self, desk: Desk) -> Chance:
        """What chance answers to the open want."""
        want = desk.want
        match want:
            case Mix():
                return self._mix(want, desk)
            case Deal(r=r, cards=cards):
                shown = (None, *desk.gone)
                return Dealt(
                    r, tuple((slot, seat, self.faces[slot] if seat in shown else None) for slot, seat in cards)
                )
            case Move(r=r, slot=slot, new=new, by=by, to=to, keep=keep):
                face = self.faces[slot] if keep else self.faces.pop(slot)
                self.faces[new] = face
                is_public = by in desk.gone or to in desk.gone or desk.face(slot) is not None
                return Moved(r, face if is_public else None)
            case _:
                assert want is not None
                return Rolled(want.r, self._stream().take(32))

    def below(self, bound: int) -> int:
        """A number that this world has for those who play in it."""
        return self._whims.below(bound)

    def _mix(self, want: Mix, desk: Desk) -> Mixed:
        faces = [*want.faces, *(self.faces.pop(slot) for slot in want.slots)]
        if want.own is None or want.own not in desk.gone:
            faces = [faces[source] for source in self._stream().permutation(len(faces))]
        self.faces.update(zip(want.out, faces, strict=True))
        return Mixed(want.r)

    def _stream(self) -> Stream:
        # Numbered by shuffles and rolls, not by wants: lines that ask for more cards meet the same shuffle.
        self._rolls += 1
        return Stream("world-roll", self._seed, u32(self._rolls))
