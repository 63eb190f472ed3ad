"""A whole sealed table in one process: every peer with its own copy of the public state, and a spectator."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kontor_games.engine.core.chance import Chance, Deal, Left, Mix, Want
from kontor_games.engine.core.stream import H, u32
from kontor_games.net.sealed.bodies import Body, Cheat, Gon, decode, encode
from kontor_games.net.sealed.player import Player
from kontor_games.net.sealed.table import Table

MATCH = H("terms", b"test match", size=32)


def secret(p: int, salt: str = "") -> bytes:
    return H("test", "secret", u32(p), salt, size=32)


def snapshot(table: Table) -> Any:
    """The whole public state, apart from the table's own objects."""
    return copy.deepcopy((vars(table), vars(table.cards), vars(table.peers)), _memo(table))


def _memo(table: Table) -> dict[int, Any]:
    # the cyclic helpers are compared through their own vars
    return {id(table.cards): "cards", id(table.peers): "peers"}


class Ring:
    """n peers that serve wants together."""

    def __init__(
        self, n: int, seat_peer: tuple[int, ...] | None = None, recovery: str = "majority", match: bytes = MATCH
    ) -> None:
        seats = seat_peer or tuple(range(n))
        self.tables = [Table(match, n, seats, recovery) for _ in range(n + 1)]  # the last one is a spectator's
        self.players = [Player(self.tables[p], p, secret(p)) for p in range(n)]
        self.silent: set[int] = set()
        self.log: list[tuple[int, Body]] = []
        self.next_r = 1
        self.next_slot = 0

    @property
    def table(self) -> Table:
        return self.tables[-1]

    def live(self) -> list[Table]:
        return [t for p, t in enumerate(self.tables) if p not in self.silent]

    def send(self, p: int, body: Body) -> None:
        """Every node but the silent ones applies the message; it travels as bytes."""
        body = decode(p, encode(body))
        self.log.append((p, body))
        verdict = self.table.check(p, body).run()  # once; the others commit it only if they stand on equal ground
        for table in self.live():
            table.commit(verdict)

    def owing(self) -> list[tuple[int, str]]:
        """What is due, departures first."""
        due = [(p, t) for p in range(len(self.players)) if p not in self.silent for t in self.table.owed(p)]
        return sorted(due, key=lambda pair: pair[1] != "giv")

    def step(self) -> bool:
        """One message of one peer, or the closing of a complete task."""
        if self.table.complete and not self.table.agreed():
            self.answers = [table.close()[1] for table in self.live()]
            assert all(answer == self.answers[0] for answer in self.answers)
            return True
        for p, name in self.owing():
            votes = bytes(32 * (len(self.table.active) - len(self.table.agreed() or ())))
            self.send(p, self.players[p].make(name, votes))
            return True
        return False

    def pump(self) -> Chance | None:
        """Until nobody owes anything; the last answer."""
        self.answers = [None]
        while self.step():
            pass
        return self.answers[0]

    def start(self) -> Ring:
        self.pump()
        return self

    def open(self, want: Want) -> None:
        for table in self.live():
            table.serve(want)
        self.next_r = want.r + 1

    def serve(self, want: Want) -> Chance | None:
        self.open(want)
        return self.pump()

    def mix(self, faces: list[int], slots: tuple[int, ...] = (), own: int | None = None) -> tuple[int, ...]:
        want = self.mix_want(faces, slots, own)
        self.serve(want)
        return want.out

    def mix_want(self, faces: list[int], slots: tuple[int, ...] = (), own: int | None = None) -> Mix:
        out = tuple(range(self.next_slot, self.next_slot + len(faces) + len(slots)))
        self.next_slot += len(out)
        return Mix(self.next_r, tuple(faces), slots, out, own)

    def deal(self, *cards: tuple[int, int | None]) -> Any:
        return self.serve(Deal(self.next_r, cards))

    def vote_out(self, *gone: int) -> None:
        """The survivors agree and give their shares."""
        self.silent |= set(gone)
        survivors = [p for p in self.table.active if p not in gone]
        for p in survivors:
            self.send(p, Gon(1, tuple(sorted(gone)), (None,) * len(gone)))

    def departures(self) -> Left | None:
        lefts = [table.take_departure() for table in self.live()]
        assert all(left == lefts[0] for left in lefts)
        return lefts[0]

    def secrets(self) -> dict[int, int]:
        return {p: player._x for p, player in enumerate(self.players)}


def refused(table: Table, p: int, body: Body, *codes: str, culprit: int | None = None) -> None:
    """The message is refused with one of the codes, the right peer is named, the state is unchanged."""
    before = snapshot(table)
    with pytest.raises(Cheat) as cheat:
        table.apply(p, decode(p, encode(body)))
    assert cheat.value.peer == (p if culprit is None else culprit)
    assert cheat.value.code in codes
    assert snapshot(table) == before


def decrypt_all(ring: Ring, keys: dict[int, int] | None = None) -> dict[int, int | None]:
    """Every slot read with these deck keys (all by default); None where it is no card."""
    from kontor_games.net.sealed.group import face_point, mul, sub

    keys = ring.secrets() if keys is None else keys
    points = {face_point(f): f for f in range(300)}
    out = {}
    for s, slot in ring.table.cards.slots.items():
        B = slot.B
        for p in slot.holders:
            if p in keys:
                B = sub(B, mul(keys[p], slot.A))
        out[s] = points.get(B)
    return out


def changed(body: Body, **fields: Any) -> Body:
    from msgspec.structs import replace

    return replace(body, **fields)
