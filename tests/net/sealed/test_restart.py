"""A restarted node makes equal bytes; hidden rules are checked after the end (design groups 19 and 20)."""

from __future__ import annotations

import pytest

from kontor_games.engine.core.chance import Deal, Mix, Move, Roll, Rolled
from kontor_games.engine.core.value import Known
from kontor_games.net.sealed.bodies import Body, Cheat, encode, kind
from kontor_games.net.sealed.card_table import CardTable
from kontor_games.net.sealed.cards import Stale
from kontor_games.net.sealed.openings import NIL, checked_openings
from kontor_games.net.sealed.player import Player
from tests.worlds.ring import Mesh

from .kit import MATCH, Ring, secret, snapshot

WANTS = (
    Mix(1, (3, 4, 5, 6), (), (0, 1, 2, 3)),
    Deal(2, ((0, 0), (1, 1), (2, None))),
    Move(3, 0, 4, 0, 2),
    Mix(4, (3,), (3,), (5, 6)),
    Roll(5),
)


def play(n: int) -> list[tuple[int, Body]]:
    ring = Ring(n).start()
    for want in WANTS:
        ring.serve(want)
    for table in ring.tables:
        table.finish()
    ring.pump()
    return ring.log


def test_a_crash_at_any_message_leads_to_the_same_bytes() -> None:
    """Before each message its author is made anew from the table secret and the messages so far."""
    log = play(3)
    table = CardTable(MATCH, 3, (0, 1, 2))
    wants = list(WANTS)
    seen = set()
    for p, body in log:
        while table.task is None or table.complete:
            if table.task is not None:
                table.close()
            elif wants:
                table.serve(wants.pop(0))
            else:
                table.finish()
        born_again = Player(table, p, secret(p))
        assert encode(born_again.make(kind(body))) == encode(body)
        seen.add(kind(body))
        table.commit(table.check(p, body).run(own=True))
    assert seen == {"key", "esc", "rdy", "mix", "shr", "rky", "opn"}


def test_another_situation_uses_other_randomness() -> None:
    """The same cards shuffled in the same request under another joint key: another permutation and other secrets."""
    from kontor_games.net.sealed.algebra import mix
    from kontor_games.net.sealed.algebra.group import G, add, base, face_point

    def shuffled(x: int) -> mix.Shuffle:
        key = base(x)
        return mix.prove(secret(0), b"b" * 32, key, [(G, add(face_point(f), key)) for f in range(8)])

    assert shuffled(5).p != shuffled(6).p and shuffled(5) == shuffled(5)


def test_a_whole_node_comes_back_from_its_messages() -> None:
    """Chance entries rebuilt from the raw messages so far owe exactly what the dead node owed."""
    mesh = Mesh(3, WANTS, 2).to(1)
    mesh.post(1, mesh.nodes[1].duties()[0].make())
    node = mesh.nodes[1]
    raws = [raw for closed in node.closed for raw in closed.raws] + node.entries.open_messages()
    again = Mesh(3, WANTS).nodes[1]
    for raw in raws:
        again.deliver(raw)
    assert again.entries.tip == node.entries.tip
    assert again.duties() == [] == node.duties()  # its share is out already
    other = Mesh(3, WANTS).nodes[0]
    for raw in raws:
        other.deliver(raw)
    assert [duty.make() for duty in other.duties()] == [duty.make() for duty in mesh.nodes[0].duties()]


# --- hidden rules


def why_not_hidden(face: int, led: int, known: Known) -> str | None:
    """Follow parity: whoever holds a card of the led parity must play one."""
    if face % 2 != led % 2 and any(card % 2 == led % 2 for card in known.values()):
        return "must follow"
    return None


@pytest.mark.parametrize("honest", [True, False])
def test_a_broken_hidden_rule_is_found_after_the_end_and_names_its_player(honest: bool) -> None:
    ring = Ring(3).start()
    deck = ring.mix([2, 3, 4, 5, 6, 7])
    ring.deal(*((s, i % 3) for i, s in enumerate(deck)))
    hand = ring.players[1].known(1)
    led = 1 if any(face % 2 for face in hand.values()) else 0
    fitting = [s for s, face in hand.items() if face % 2 == led]
    others = [s for s, face in hand.items() if face % 2 != led]
    slot = fitting[0] if honest or not others else others[0]
    plays = [(1, ring.next_r, slot, hand[slot])]
    body = ring.players[1].open(ring.next_r, [slot])
    for table in ring.tables:
        check = table.check_opening(1, ring.next_r, [(slot, hand[slot])], body)
        assert check is not None
        table.commit(check.run())  # during play nobody can object
    for table in ring.tables:
        table.finish()
    ring.pump()
    # a stranger goes through the match again, now with every key
    secrets = ring.table.secrets()
    stranger = Ring(3)
    place = 0
    verdicts = []
    stranger_table = stranger.table
    wants = [Mix(1, (2, 3, 4, 5, 6, 7), (), deck), Deal(2, tuple((s, i % 3) for i, s in enumerate(deck)))]
    while place < len(ring.log) and kind(ring.log[place][1]) != "opn":
        while stranger_table.task is None or stranger_table.complete:
            if stranger_table.task is not None:
                stranger_table.close()
            else:
                stranger_table.serve(wants.pop(0))
        p, message = ring.log[place]
        stranger_table.apply(p, message)
        place += 1
    stranger_table.close()
    for seat, _, _, face in plays:
        known = stranger_table.cards.read(seat, secrets)
        reason = why_not_hidden(face, led, known)
        if reason:
            verdicts.append((seat, reason))
    assert verdicts == ([] if honest or not others else [(1, "must follow")])
    assert honest or others, "the deal gives seat 1 both parities"


# --- openings of a frame


def test_the_openings_of_a_frame_must_match_its_claims() -> None:
    mesh = Mesh(2, (Mix(1, (3, 4, 5), (), (0, 1, 2)), Deal(2, ((0, 0), (1, 0), (2, None))), -1)).run()
    author, reader = mesh.nodes[0].player, mesh.nodes[1].player
    assert author is not None and reader is not None
    table = reader.table
    hand = author.known(0)
    assert reader.known(0) == {} and reader.known(1) == {}
    public = next(iter(mesh.nodes[0].chances[-1].cards[2:]))[2]  # type: ignore[union-attr]
    claims = [(3, [(0, hand[0])]), (4, [(2, public)]), (5, [(1, hand[1])])]
    first, again, second = author.open(3, [0]), author.open(4, [0]), author.open(5, [1])
    assert author.open(4, [2]) is None and first is not None and again is not None and second is not None
    raws = [encode(first), NIL, encode(second)]
    verdicts = checked_openings(table, 0, 0, claims, raws)
    assert len(verdicts) == 2
    before = snapshot(table)
    for wrong in (raws[:2], [*raws, raws[2]], raws[::-1], [raws[0], raws[1], b"\x80"], [raws[0], raws[0], raws[2]]):
        with pytest.raises(Cheat) as cheat:
            checked_openings(table, 0, 0, claims, wrong)
        assert cheat.value.peer == 0 and cheat.value.code.startswith("shr.")
    with pytest.raises(Cheat, match=r"shr\.card"):
        checked_openings(table, 0, 0, [claims[0], (4, claims[0][1])], [raws[0], encode(again)])
    with pytest.raises(Stale):
        table.commit_openings([verdicts[1], verdicts[0], verdicts[0]])
    assert snapshot(table) == before
    table.commit_openings(verdicts)
    assert [table.cards.slots[s].face for s in (0, 1)] == [hand[0], hand[1]]


def test_all_nodes_get_the_same_answers_to_a_want() -> None:
    mesh = Mesh(2, (Roll(1), -1)).run()
    mesh.agree()
    answers = {tuple(node.chances) for node in mesh.nodes}
    assert len(answers) == 1
    assert [type(chance) for chance in answers.pop()] == [Rolled, Rolled]  # roll 0, and the want


def test_nothing_that_may_be_logged_shows_a_secret() -> None:
    mesh = Mesh(2, WANTS).to(0)
    node = mesh.nodes[0]
    assert node.player is not None
    (duty,) = node.duties()
    shown = repr((node, node.player, node.entries, duty, duty.draft, vars(duty)["draft"]))
    for hidden in (secret(0), node.player._x, node.player._t):
        assert repr(hidden) not in shown
