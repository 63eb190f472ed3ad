"""Random scripts and leavers: local and sealed dealer lead one engine to states of the same shape (design group 21)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace

from kontor_games.engine.core.chance import Chance, Dealt, Desk, Left, Mixed, Want, why_not_answer
from kontor_games.engine.core.dealer import LocalDealer

from .kit import Ring, decrypt_all


class Toy:
    """A little card engine on a desk: deck, hands, discards, cards face down; it checks every answer it gets."""

    def __init__(self, seats: int, faces: list[int]) -> None:
        self.desk = Desk()
        self.seats = seats
        self.faces = faces
        self.deck: tuple[int, ...] = ()
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.discards: list[int] = []  # slots whose faces are public
        self.shape: list[object] = []

    def shown(self, answer: Chance) -> None:
        """Take an answer of chance; faces are left out of the shape, since they differ by dealer."""
        assert why_not_answer(self.desk, answer) is None, why_not_answer(self.desk, answer)
        if isinstance(answer, Left):
            gone = tuple(sorted((*self.desk.gone, *answer.seats)))
            self.desk = replace(self.desk, gone=gone).show(answer.faces)
            self.shape.append(("left", answer.seats, tuple(slot for slot, _ in answer.faces)))
            return
        self.desk = self.desk.closed(answer)
        if isinstance(answer, Dealt):
            public = [(slot, face) for slot, _, face in answer.cards if face is not None]
            self.desk = self.desk.show(public)
            self.shape.append(("dealt", tuple((s, seat, face is None) for s, seat, face in answer.cards)))
        else:
            self.shape.append(type(answer).__name__ if not isinstance(answer, Mixed) else ("mixed", answer.r))

    def next(self, rng: Random) -> Want:
        """A want that fits the state, chosen by the script's dice."""
        if not self.deck and not self.discards and not any(self.hands):
            self.desk, self.deck = self.desk.mix(self.faces)
            assert self.desk.want is not None
            return self.desk.want
        seat = rng.randrange(self.seats)
        hand = self.hands[seat]
        choices = ["roll"]
        if self.deck:
            choices += ["draw", "flip", "hands"]
        if hand:
            choices += ["own", "pass", "back", "open"]
        if self.discards:
            choices += ["reshuffle"]
        choice = rng.choice(choices)
        if choice == "draw":
            slot, self.deck = self.deck[0], self.deck[1:]
            hand.append(slot)
            self.desk = self.desk.deal([(slot, seat)])
        elif choice == "hands":
            cards, self.deck = self.deck[: self.seats], self.deck[self.seats :]
            for i, slot in enumerate(cards):
                self.hands[i].append(slot)
            self.desk = self.desk.deal([(slot, i) for i, slot in enumerate(cards)])
        elif choice == "flip":
            slot, self.deck = self.deck[0], self.deck[1:]
            self.discards.append(slot)
            self.desk = self.desk.deal([(slot, None)])
        elif choice == "open":
            self.discards.append(slot := hand.pop(0))
            self.desk = self.desk.deal([(slot, None)])
        elif choice == "own":
            self.desk, out = self.desk.mix((), hand, own=seat)
            self.hands[seat] = list(out)
        elif choice == "pass":
            other = (seat + 1) % self.seats
            self.desk, new = self.desk.move(hand.pop(), seat, other)
            self.hands[other].append(new)
        elif choice == "back":
            slot = hand.pop()
            self.desk, new = self.desk.move(slot, seat)
            self.deck = (*self.deck, new)
        elif choice == "reshuffle":
            self.desk, self.deck = self.desk.mix((), (*self.discards, *self.deck))
            self.discards = []
        else:
            self.desk = self.desk.roll()
        assert self.desk.want is not None
        return self.desk.want

    def slots(self) -> list[int]:
        return sorted([*self.deck, *self.discards, *(s for hand in self.hands for s in hand)])


def check_knowledge(toy: Toy, ring: Ring) -> None:
    """Each seat that is still there reads its own sealed cards and nobody else's."""
    for seat in range(toy.seats):
        if seat in toy.desk.gone:
            continue
        hidden = [s for s in toy.hands[seat] if toy.desk.face(s) is None]
        assert sorted(ring.players[seat].known(seat)) == sorted(hidden)
        for other in range(toy.seats):
            if other != seat:
                assert ring.players[other].known(seat) == {}


def run(seed: int, n: int, steps: int) -> None:
    rng = Random(seed)
    faces = [rng.randrange(20) for _ in range(rng.randrange(2, 7))]
    local_toy, sealed_toy = Toy(n, faces), Toy(n, faces)
    local, ring = LocalDealer(b"l" * 32), Ring(n).start()
    scripts = Random(seed), Random(seed)
    for _ in range(steps):
        want, same = local_toy.next(scripts[0]), sealed_toy.next(scripts[1])
        faceless = replace(want, faces=()) if hasattr(want, "faces") else want
        assert faceless == (replace(same, faces=()) if hasattr(same, "faces") else same)
        leaver = rng.choice(ring.table.active) if len(ring.table.active) > 2 and rng.random() < 0.12 else None
        ring.open(same)
        if leaver is not None:
            for _ in range(rng.randrange(4)):
                if not ring.table.complete:
                    ring.step()
            if not ring.table.complete:
                local_toy.shown(local.leave([leaver]))
                ring.vote_out(leaver)
                while ring.table.epoch == len(local_toy.desk.gone) - 1:
                    ring.step()
                left = ring.departures()
                assert left is not None
                sealed_toy.shown(left)
        local.serve(want)
        answer = local.ready()
        assert answer is not None
        local_toy.shown(answer)
        while ring.table.task is not None:
            assert ring.step()
        sealed = ring.answers[0]
        assert sealed is not None
        sealed_toy.shown(sealed)
        assert local_toy.shape == sealed_toy.shape
        assert local_toy.slots() == sealed_toy.slots()
        check_knowledge(sealed_toy, ring)
        here = {s: face for s, face in decrypt_all(ring).items() if s in sealed_toy.slots()}
        assert Counter(here.values()) == Counter(faces)
        assert Counter(local._face[s] for s in local_toy.slots()) == Counter(faces)


@pytest.mark.parametrize("seed", range(8))
def test_both_dealers_lead_to_states_of_the_same_shape(seed: int) -> None:
    run(seed, 2 + seed % 4, 12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 160))
def test_both_dealers_lead_to_states_of_the_same_shape_for_long(seed: int) -> None:
    run(seed, 2 + seed % 4, 30)


def test_a_hand_with_a_card_that_a_leaver_passed_on_can_still_be_shuffled() -> None:
    """Such a card is public and enters its new owner's shuffle as a face; both dealers serve that."""
    local, ring = LocalDealer(b"l" * 32), Ring(3).start()
    for serve, leave in (
        (lambda want: (local.serve(want), local.ready())[1], lambda: local.leave([0])),
        (ring.serve, lambda: (ring.vote_out(0), ring.pump(), ring.departures())[2]),
    ):
        desk, deck = Desk().mix([3, 4, 5])

        def answered(desk: Desk, serve: object = serve) -> Desk:
            answer = serve(desk.want)  # type: ignore[operator]
            assert why_not_answer(desk, answer) is None
            return desk.closed(answer)

        desk = answered(desk)
        desk = answered(desk.deal([(deck[0], 0), (deck[1], 1)]))
        left = leave()
        assert isinstance(left, Left)
        desk = replace(desk, gone=(0,)).show(left.faces)
        desk, new = desk.move(deck[0], 0, 1)
        desk = answered(desk)
        assert desk.face(new) is not None
        desk, hand = desk.mix((), (deck[1], new), own=1)
        assert len(hand) == 2 and desk.want is not None
        desk = answered(desk)
        assert all(desk.face(slot) is None for slot in hand)
    assert sorted(ring.players[1].known(1)) == list(hand)


def test_a_public_card_is_dealt_and_passed_on_in_public() -> None:
    """A card that a leaver put back or passed on goes its way like any other, only that all see it."""
    local, ring = LocalDealer(b"l" * 32), Ring(4).start()
    for serve, leave in (
        (lambda want: (local.serve(want), local.ready())[1], lambda: local.leave([0])),
        (ring.serve, lambda: (ring.vote_out(0), ring.pump(), ring.departures())[2]),
    ):
        desk, deck = Desk().mix([3, 4, 5])

        def answered(desk: Desk, serve: object = serve) -> Desk:
            answer = serve(desk.want)  # type: ignore[operator]
            assert why_not_answer(desk, answer) is None
            return desk.closed(answer)

        desk = answered(answered(desk).deal([(deck[0], 0)]))
        left = leave()
        assert isinstance(left, Left)
        desk = replace(desk, gone=(0,)).show(left.faces)
        face = desk.face(deck[0])
        desk, back = desk.move(deck[0], 0)
        desk = answered(desk)
        desk = answered(desk.deal([(back, 1), (deck[1], 1)]))
        assert desk.face(back) == face is not None and desk.face(deck[1]) is None
        for by, to in ((1, 2), (2, 3), (3, None)):
            desk, new = desk.move(back, by, to)
            desk = answered(desk)
            assert desk.face(new) == face
            back = new
    assert sorted(ring.players[1].known(1)) == [deck[1]]
