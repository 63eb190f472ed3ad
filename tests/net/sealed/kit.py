"""A whole sealed table in one process: every peer with its own copy of the public state, and a spectator."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kontor_games.engine.core.chance import Chance, Deal, Left, Mix, Want
from kontor_games.engine.core.stream import H, u32
from kontor_games.net.sealed.bodies import Body, Bye, Cheat, Giv, Gon, decode, encode
from kontor_games.net.sealed.card_table import CardTable
from kontor_games.net.sealed.events import SignedBody, as_message
from kontor_games.net.sealed.player import Player
from kontor_games.net.sealed.votes import Votes
from kontor_games.net.wire.chain import encode as encode_message

MATCH = H("terms", b"test match", size=32)


def secret(p: int, salt: str = "") -> bytes:
    return H("test", "secret", u32(p), salt, size=32)


def snapshot(table: CardTable) -> Any:
    """The whole public state, apart from the table's own objects."""
    return copy.deepcopy((vars(table), vars(table.cards), vars(table.peers)), _memo(table))


def _memo(table: CardTable) -> dict[int, Any]:
    # the cyclic helpers are compared through their own vars
    return {id(table.cards): "cards", id(table.peers): "peers"}


class Ring:
    """n peers that serve wants together."""

    def __init__(
        self, n: int, seat_peer: tuple[int, ...] | None = None, recovery: str = "majority", match: bytes = MATCH
    ) -> None:
        seats = seat_peer or tuple(range(n))
        self.tables = [CardTable(match, n, seats, recovery) for _ in range(n + 1)]  # the last one is a spectator's
        self.players = [Player(self.tables[p], p, secret(p)) for p in range(n)]
        self.silent: set[int] = set()
        self.votes = Votes()
        self.shares: dict[int, tuple[int, ...]] = {}
        self.log: list[tuple[int, Body]] = []
        self.next_r = 1
        self.next_slot = 0

    @property
    def table(self) -> CardTable:
        return self.tables[-1]

    def live(self) -> list[CardTable]:
        return [t for p, t in enumerate(self.tables) if p not in self.silent]

    def send(self, p: int, body: Body) -> None:
        """Every node but the silent ones applies the message; it travels as bytes."""
        body = decode(p, encode(body))
        self.log.append((p, body))
        match body:
            case Gon():
                self._vote(p, body)
            case Giv():
                self._give(p, body)
            case Bye():
                self._leave({p: self.table.check(p, body).run().result})
            case _:
                verdict = self.table.check(p, body).run()  # once; the others commit it only on equal ground
                for table in self.live():
                    table.commit(verdict)

    def agreed(self) -> tuple[int, ...]:
        """The peers that all others declare gone."""
        agreed = self.votes.agreement(self.table.active, lambda vote: True)
        return () if agreed is None else agreed.gone

    def _vote(self, p: int, body: Gon) -> None:
        for table in self.live():
            table.check_vote(p, body)
        self.votes.take(signed(p, body))
        self.shares = {}

    def _give(self, p: int, body: Giv) -> None:
        gone = self.agreed()
        self.shares[p] = self.table.check_shares(p, body, gone).run().result
        self.votes.take(signed(p, body))
        if set(self.shares) == set(self.table.active) - set(gone):
            self._leave(self.table.rebuild(gone, self.shares))

    def _leave(self, secrets: dict[int, int]) -> None:
        for table in self.live():
            table.leave(secrets)
        self.votes, self.shares = Votes(), {}

    def owing(self) -> list[tuple[int, str]]:
        """What is due, departures first."""
        live = [p for p in range(len(self.players)) if p not in self.silent]
        gone = self.agreed()
        shares = [(p, "giv") for p in live if gone and p in self.table.active if p not in (*gone, *self.shares)]
        return [*shares, *((p, name) for p in live for name in self.table.owed(p))]

    def make(self, p: int, name: str) -> Body:
        """The body that a peer owes."""
        gone = self.agreed()
        if name == "giv":
            return self.players[p].draft_shares(bytes(32 * (len(self.table.active) - len(gone))), gone).run()
        return self.players[p].make(name)

    def step(self) -> bool:
        """One message of one peer, or the closing of a complete task."""
        if self.table.complete and not self.agreed():
            self.answers = [table.close()[1] for table in self.live()]
            assert all(answer == self.answers[0] for answer in self.answers)
            return True
        for p, name in self.owing():
            self.send(p, self.make(p, name))
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


def signed(p: int, body: Body) -> SignedBody:
    """A body as the vote book takes it."""
    raw = encode_message(as_message(MATCH, p, MATCH, bytes(32), body))
    return SignedBody(p, MATCH, bytes(32), body, raw, H("msg", raw, size=32))


def judge(table: CardTable, p: int, body: Body, gone: tuple[int, ...] = ()) -> None:
    """Check a message wholly and change nothing; `gone`: whom the votes declare gone."""
    match body:
        case Gon():
            table.check_vote(p, body)
        case Giv():
            table.check_shares(p, body, gone).run()
        case _:
            table.check(p, body).run()


def refused(
    table: CardTable, p: int, body: Body, *codes: str, culprit: int | None = None, gone: tuple[int, ...] = ()
) -> None:
    """The message is refused with one of the codes, the right peer is named, the state is unchanged."""
    before = snapshot(table)
    with pytest.raises(Cheat) as cheat:
        judge(table, p, decode(p, encode(body)), gone)
    assert cheat.value.peer == (p if culprit is None else culprit)
    assert cheat.value.code in codes
    assert snapshot(table) == before


def decrypt_all(ring: Ring, keys: dict[int, int] | None = None) -> dict[int, int | None]:
    """Every slot read with these deck keys (all by default); None where it is not a card."""
    from kontor_games.net.sealed.algebra.group import face_point, mul, sub

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
