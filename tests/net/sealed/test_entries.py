"""Chance entries: order, tips, forks, early messages, departures in the chain (design groups 17 and 18)."""

from __future__ import annotations

from random import Random

import pytest
from msgspec import Raw
from msgspec.structs import replace

from kontor_games.engine.core.chance import Deal, Dealt, Left, Mix, Mixed, Move, Moved, Roll, Rolled
from kontor_games.engine.errors import LocalError
from kontor_games.net.sealed.bodies import Gon, MixBody, Rdy, kind
from kontor_games.net.sealed.bodies import decode as decode_body
from kontor_games.net.sealed.bodies import encode as encode_body
from kontor_games.net.sealed.card_table import CardTable
from kontor_games.net.sealed.events import Blamed, EntryClosed
from kontor_games.net.sealed.sightings import MAX_EARLY
from kontor_games.net.sealed.votes import MAX_VOTES
from kontor_games.net.wire.chain import DealerMessage, decode, encode, entry_tip
from tests.worlds.quick_algebra import quick_algebra
from tests.worlds.ring import Item, Mesh, Node, spectator_node

from .kit import MATCH

__all__ = ["quick_algebra"]  # what is tested here is the order of entries; all begin with the same keys and shuffles

DECK = tuple(range(4))
SCRIPT: tuple[Item, ...] = (
    Mix(1, (5, 6, 7, 8), (), DECK),
    0,
    Deal(2, ((0, None), (1, 0), (2, 1))),
    1,
    Roll(3),
    2,
    Move(4, 1, 4, 0, 1),
    0,
    None,
)


def body_of(raw: bytes) -> str:
    message = decode(DealerMessage, raw)
    return kind(decode_body(message.p, bytes(message.b)))


def sender(raw: bytes) -> int:
    return decode(DealerMessage, raw).p


def tip_before(raw: bytes) -> bytes:
    return decode(DealerMessage, raw).h


@pytest.mark.parametrize("n", [2, 3, 4])
def test_any_order_of_arrival_gives_the_same_chain(n: int) -> None:
    script = SCRIPT if n > 2 else tuple(0 if item == 2 else item for item in SCRIPT)
    histories = []
    for seed in range(3):
        mesh = Mesh(n, script, seed).run()
        mesh.agree()
        histories.append([(c.tip, c.raws, c.chance) for c in mesh.nodes[0].closed])
        escrow = ["escrow"] if n > 2 else []
        assert mesh.kinds() == ["keys", *escrow, *["want"] * 5, "open"]
        assert isinstance(mesh.nodes[0].chances[0], Rolled)
    assert all(history == histories[0] for history in histories)


def test_messages_stand_in_the_order_of_the_design() -> None:
    mesh = Mesh(3, SCRIPT, 5).run()
    orders = [[(body_of(raw), sender(raw)) for raw in closed.raws] for closed in mesh.nodes[0].closed]
    assert orders[0] == [("key", 0), ("key", 1), ("key", 2)]
    assert orders[1] == [*(("esc", p) for p in range(3)), *(("rdy", p) for p in range(3))]
    assert orders[3] == [("mix", 0), ("mix", 1), ("mix", 2)]
    assert orders[6] == [("rky", 0)]
    assert orders[-1] == [("opn", 0), ("opn", 1), ("opn", 2)]
    for closed in mesh.nodes[0].closed:
        assert closed.tip == entry_tip(closed.before, closed.raws)
        assert {tip_before(raw) for raw in closed.raws} == {closed.before}


def test_a_heavy_check_waits_for_a_worker() -> None:
    mesh = Mesh(2, SCRIPT)
    mesh.to(0)
    entries = mesh.nodes[1].entries
    (duty,) = mesh.nodes[0].duties()
    assert duty.name == "mix" and duty.heavy
    message = duty.make()
    assert mesh.nodes[1].entries.receive(message, encode(message)) == []
    (job,) = entries.jobs()
    assert list(entries.jobs()) == [] and job.check.heavy
    assert mesh.nodes[1].duties() == []  # its own turn comes after the check
    outcome = job.run()
    assert mesh.nodes[1].entries.finished(job, outcome) == []
    assert ("mix", 0) in mesh.nodes[1].table.task.got  # type: ignore[union-attr]
    assert [duty.name for duty in mesh.nodes[1].duties()] == ["mix"]
    assert mesh.nodes[1].entries.finished(job, outcome) == []  # once only


# --- forks, strangers, early and late messages


def at_draw(n: int = 3) -> Mesh:
    """All wait for the shares of the first deal."""
    return Mesh(n, SCRIPT).to(2)


def variant(message: DealerMessage) -> DealerMessage:
    """Another message of the same type, well-formed."""
    body = decode_body(message.p, bytes(message.b))
    return replace(message, b=Raw(encode_body(replace(body, c=bytes(32)))))


def test_two_different_messages_of_one_type_under_one_tip_are_a_fork() -> None:
    mesh = at_draw()
    good = mesh.nodes[1].duties()[0].make()
    bad = variant(good)
    node = mesh.nodes[0]
    node.deliver(encode(good))
    node.deliver(encode(good))  # a repeat is nothing
    assert node.blamed == []
    node.deliver(encode(bad))
    assert node.blamed == [Blamed(1, "fork", (encode(good), encode(bad)))]
    node.deliver(encode(variant(replace(good, h=bytes(32)))))
    assert len(node.blamed) == 1  # nothing more is taken from it


def test_a_fork_of_an_old_entry_is_found_too() -> None:
    mesh = at_draw()
    old = next(raw for closed in mesh.nodes[0].closed for raw in closed.raws if body_of(raw) == "mix")
    bad = encode(variant(decode(DealerMessage, old)))
    mesh.nodes[1].deliver(bad)
    assert mesh.nodes[1].blamed == [Blamed(sender(old), "fork", (old, bad))]


def test_an_entry_with_a_forked_message_is_not_closed() -> None:
    mesh = at_draw()
    node = mesh.nodes[0]
    first = mesh.nodes[1].duties()[0].make()
    node.deliver(encode(first))
    node.deliver(encode(variant(first)))
    tip = node.entries.tip
    mesh.post(0, node.duties()[0].make())
    mesh.nodes[2].inbox.clear()
    node.deliver(encode(mesh.nodes[2].duties()[0].make()))
    assert node.entries.tip == tip and node.table.complete


def test_another_digest_is_divergence_and_no_fraud() -> None:
    mesh = at_draw()
    good = mesh.nodes[1].duties()[0].make()
    node = mesh.nodes[0]
    node.deliver(encode(replace(good, d=b"d" * 32)))
    assert [d.peer for d in node.diverged] == [1] and node.blamed == []
    node.deliver(encode(good))  # healed: the true message still counts
    assert node.blamed == [] and ("shr", 1) in node.table.task.got  # type: ignore[union-attr]


def test_a_message_under_an_unknown_tip_is_kept_and_not_applied() -> None:
    mesh = at_draw()
    node, good = mesh.nodes[0], mesh.nodes[1].duties()[0].make()
    for i in range(MAX_EARLY + 5):
        node.deliver(encode(replace(good, h=bytes([i]) * 32)))
    assert node.table.task.got == {} and node.blamed == []  # type: ignore[union-attr]
    assert len(list(node.entries.sightings._early.of(1))) == MAX_EARLY


def test_a_message_ahead_of_its_time_is_applied_when_its_tip_is_reached() -> None:
    mesh = Mesh(3, SCRIPT, 3)
    slow = mesh.nodes[2]
    held: list[bytes] = []

    def keep(source: int, target: int, raw: bytes) -> bool:
        if target == 2 and body_of(raw) == "esc" and source == 0:
            held.append(raw)
            return True
        return False

    mesh.drop = keep
    mesh.run()
    assert [c.kind for c in slow.closed] == ["keys"]
    mesh.drop = lambda source, target, raw: False
    slow.deliver(held[0])
    mesh.run().agree()


def test_messages_for_another_match_or_from_nobody_are_ignored() -> None:
    mesh = at_draw()
    node, good = mesh.nodes[0], mesh.nodes[1].duties()[0].make()
    for message in (replace(good, m=bytes(32)), replace(good, p=3), replace(good, p=7)):
        node.deliver(encode(message))
    assert node.table.task.got == {} and node.blamed == []  # type: ignore[union-attr]


@pytest.mark.parametrize("body, code", [(Rdy(0), "rdy.unexpected"), (Gon(1, (1,), (None,)), "gon.form")])
def test_what_never_fits_the_open_entry_is_blamed(body: object, code: str) -> None:
    mesh = at_draw()
    good = mesh.nodes[1].duties()[0].make()
    wrong = encode(replace(good, b=Raw(encode_body(body))))  # type: ignore[arg-type]
    mesh.nodes[0].deliver(wrong)
    assert mesh.nodes[0].blamed == [Blamed(1, code, (wrong,))]


def test_a_dealer_message_while_a_frame_is_awaited_is_blamed() -> None:
    mesh = Mesh(3, SCRIPT)
    for node in mesh.nodes:
        node.holds_frames = True
    mesh.to(1)
    entries = mesh.nodes[1].entries
    wrong = encode(DealerMessage(MATCH, 1, entries.tip, entries.digest, Raw(encode_body(Rdy(0)))))
    mesh.nodes[0].deliver(wrong)
    assert mesh.nodes[0].blamed == [Blamed(1, "rdy.unexpected", (wrong,))]


def test_malformed_bodies_are_blamed_and_change_nothing() -> None:
    mesh = at_draw()
    good = mesh.nodes[1].duties()[0].make()
    wrong = encode(replace(good, b=Raw(b"\x81\xa1t\xa3shr")))
    mesh.nodes[0].deliver(wrong)
    assert mesh.nodes[0].blamed == [Blamed(1, "shr.form", (wrong,))]


def test_a_bad_escrow_share_is_shown_with_both_messages() -> None:
    from .kit import Ring
    from .test_escrow import bad_share

    mesh = Mesh(3)
    mesh.drop = lambda source, target, raw: body_of(raw) != "key"  # nothing of the escrow reaches anybody yet
    mesh.run(lambda: all(node.closed for node in mesh.nodes))
    mesh = _with_keys(mesh)
    ring = Ring(3)
    while ring.table.task is not None and ring.table.task.kind == "keys":
        ring.step()
    entries = mesh.nodes[0].entries
    body = bad_share(ring, 0, 2)
    esc = mesh.post(0, DealerMessage(MATCH, 0, entries.tip, entries.digest, Raw(encode_body(body))))
    mesh.run()
    for node in mesh.nodes[1:]:
        (blamed,) = node.blamed
        assert (blamed.peer, blamed.code, blamed.raws[0]) == (0, "esc.share", esc)
        assert [body_of(raw) for raw in blamed.raws] == ["esc", "cmp"]


def _with_keys(mesh: Mesh) -> Mesh:
    """A fresh mesh in which everybody has all keys and nobody has sent anything more."""
    fresh = Mesh(len(mesh.nodes) - 1)
    for node in fresh.nodes:
        for raw in mesh.nodes[0].closed[0].raws:
            node.deliver(raw)
    return fresh


# --- departures


@pytest.mark.parametrize("seed", [0, 2])
@pytest.mark.parametrize("n, gone", [(3, (1,)), (4, (0,)), (5, (1, 3))])
def test_survivors_agree_and_finish_the_open_entry_under_its_old_tip(n: int, gone: tuple[int, ...], seed: int) -> None:
    mesh = at_draw(n)
    mesh.rng.seed(seed)
    for p in range(seed):  # so many have sent their shares
        mesh.post(p, mesh.nodes[p].duties()[0].make())
    mesh.quiet()
    mesh.pause = 2  # the departure comes first: what they owe in the draw they send afterwards
    old = mesh.nodes[0].entries.tip
    mesh.vote_out(*gone)
    for p in mesh.live()[:-1]:
        mesh.quiet()
        mesh.post(p, next(duty for duty in mesh.nodes[p].duties() if duty.name == "giv").make())
    mesh.quiet()
    mesh.pause = None
    mesh.run()
    mesh.agree()
    closed = mesh.nodes[mesh.live()[0]].closed
    departure = next(i for i, c in enumerate(closed) if c.kind == "gone")
    follows = ["escrow"] if n - len(gone) >= 3 else []
    assert [c.kind for c in closed[departure : departure + 2 + len(follows)]] == ["gone", *follows, "want"]
    survivors = [p for p in range(n) if p not in gone]
    assert [(body_of(raw), sender(raw)) for raw in closed[departure].raws] == [
        *(("gon", p) for p in survivors),
        *(("giv", p) for p in survivors),
    ]
    finished = closed[departure + 1 + len(follows)]
    assert finished.before != old and {tip_before(raw) for raw in finished.raws} == {old}
    assert isinstance(closed[departure].chance, Left) and closed[departure].chance.seats == gone


@pytest.mark.parametrize("seed", range(6))
def test_a_departure_may_race_with_the_end_of_the_open_entry(seed: int) -> None:
    """Only peer 2 still owes its share when the others give peer 0 up."""
    mesh = at_draw(4)
    mesh.rng.seed(seed)
    for p in (0, 1, 3):
        mesh.post(p, mesh.nodes[p].duties()[0].make())
    mesh.quiet()
    mesh.go_on_without(0).run().agree()
    assert mesh.kinds().count("gone") == 1 and mesh.kinds()[-1] == "open"


def test_after_a_departure_all_who_stay_shuffle_once_more_under_its_tip() -> None:
    """Peer 1 shuffled, only peer 2 got it and shuffled on top: neither counts, and no vote has to name them."""
    mesh = Mesh(4, SCRIPT, 1)
    mesh.to(0)
    before = mesh.nodes[0].entries.tip
    mesh.drop = lambda source, target, raw: source == 1 and body_of(raw) == "mix" and target != 2
    mesh.run(lambda: ("mix", 2) in (mesh.nodes[2].table.task or Node).got)  # type: ignore[union-attr,attr-defined]
    mesh.kill(1)
    mesh.drop = lambda source, target, raw: False
    mesh.vote_out(1)
    mesh.run().agree()
    assert not any(node.missing for node in mesh.nodes)
    shuffled = next(c for c in mesh.nodes[0].closed if isinstance(c.chance, Mixed))
    assert [sender(raw) for raw in shuffled.raws] == [0, 2, 3]
    assert before not in {decode(DealerMessage, raw).h for raw in shuffled.raws}


@pytest.mark.timeout(60)
def test_whoever_votes_again_and_again_and_gives_nothing_is_put_out_by_the_others() -> None:
    """Each vote of peer 3 makes the others give shares anew; that ends, and does not cost those for its departure."""
    mesh = Mesh(5, SCRIPT, 1)
    mesh.to(0)
    mesh.kill(4)
    mesh.drop = lambda source, target, raw: source == 3 and body_of(raw) == "giv"
    for p in (0, 1, 2):
        mesh.post(p, mesh.nodes[p].entries.departures.vote((4,)))
    for number in range(3 * MAX_VOTES):
        for p in (3, number % 3):
            mesh.post(p, mesh.nodes[p].entries.departures.vote((4,)))
            mesh.run()
    assert all(len(mesh.nodes[p].table.active) == 5 for p in (0, 1, 2))
    for p in (0, 1, 2):
        mesh.post(p, mesh.nodes[p].entries.departures.vote((3, 4)))
    mesh.run()
    assert all(mesh.nodes[p].table.active == (0, 1, 2) for p in (0, 1, 2))


def test_in_terms_of_version_1_the_shuffle_of_a_leaver_counts_if_one_survivor_holds_it() -> None:
    """Peer 1 shuffled, only peer 2 got it; peer 2 names it, and it is handed round."""
    mesh = Mesh(4, SCRIPT, 1)
    for node in mesh.nodes:
        node.entries.position.restarts = False
    mesh.to(0)
    mesh.drop = lambda source, target, raw: source == 1 and body_of(raw) == "mix" and target != 2
    mesh.run(lambda: ("mix", 1) in (mesh.nodes[2].table.task or Node).got)  # type: ignore[union-attr,attr-defined]
    mesh.kill(1)
    mesh.drop = lambda source, target, raw: False
    for p in (0, 2, 3):
        mesh.post(p, mesh.nodes[p].entries.departures.vote((1,)))
    mesh.run()
    absent = [node.missing for node in (mesh.nodes[0], mesh.nodes[3])]
    assert all(absent) and mesh.nodes[2].missing == []
    assert not any(node.closed and node.closed[-1].kind == "gone" for node in mesh.nodes), "the vote does not count yet"
    (digest,) = {digest for missing in absent for event in missing for digest in event.hashes}
    raw = mesh.nodes[2].entries.held(digest)
    assert raw is not None and body_of(raw) == "mix" and sender(raw) == 1
    for i in (0, 3, 4):
        mesh.nodes[i].deliver(raw)
    mesh.run().agree()
    shuffled = next(c for c in mesh.nodes[0].closed if isinstance(c.chance, Mixed))
    assert [sender(raw) for raw in shuffled.raws] == [0, 1, 2, 3]


def test_the_shuffle_of_a_leaver_that_no_survivor_holds_is_skipped() -> None:
    mesh = Mesh(4, SCRIPT, 1)
    mesh.to(0)
    mesh.drop = lambda source, target, raw: source == 1 and body_of(raw) == "mix" and target != 4  # the spectator
    mesh.run(lambda: ("mix", 1) in (mesh.nodes[4].table.task or Node).got)  # type: ignore[union-attr,attr-defined]
    mesh.drop = lambda source, target, raw: False
    mesh.vote_out(1)
    mesh.run().agree()
    shuffled = next(c for c in mesh.nodes[0].closed if isinstance(c.chance, Mixed))
    assert [sender(raw) for raw in shuffled.raws] == [0, 2, 3]


def test_after_a_fork_by_a_leaver_the_open_entry_starts_afresh() -> None:
    """Peer 0 shuffles twice: peer 1 builds on one version, peer 2 holds the other."""
    mesh = Mesh(4, SCRIPT, 1)
    mesh.to(0)
    entries = mesh.nodes[0].entries
    first = encode(mesh.nodes[0].duties()[0].make())
    body = decode_body(0, bytes(decode(DealerMessage, first).b))
    assert isinstance(body, MixBody)
    from kontor_games.engine.core.stream import u32
    from kontor_games.net.sealed.algebra import mix as mixing
    from kontor_games.net.sealed.algebra.group import bind

    plan = mesh.nodes[0].table.task.plan  # type: ignore[union-attr]
    s = mixing.prove(b"q" * 32, bind("mix", mesh.nodes[0].table.peers.ctx, 0, u32(1)), plan.key, plan.inputs)  # type: ignore[union-attr]
    again = MixBody(1, s.o, s.p, s.h, s.c, s.s)
    second = encode(DealerMessage(MATCH, 0, entries.tip, entries.digest, Raw(encode_body(again))))
    mesh.kill(0)
    for i in (1, 3, 4):
        mesh.nodes[i].deliver(first)
    mesh.nodes[2].deliver(second)
    own = mesh.nodes[1].duties()[0].make()
    mesh.nodes[1].deliver(encode(own), own=True)  # peer 1 built on the first version; nobody got it yet
    for i in (1, 2, 3, 4):  # gossip: both versions reach everybody
        mesh.nodes[i].deliver(first)
        mesh.nodes[i].deliver(second)
        assert [(b.peer, b.code) for b in mesh.nodes[i].blamed] == [(0, "fork")]
        mesh.nodes[i].blamed.clear()
    for p in (1, 2, 3):
        mesh.post(p, mesh.nodes[p].entries.departures.vote((0,)))
    mesh.run().agree()
    shuffled = next(c for c in mesh.nodes[1].closed if isinstance(c.chance, Mixed))
    assert [sender(raw) for raw in shuffled.raws] == [1, 2, 3]
    assert {tip_before(raw) for raw in shuffled.raws} == {shuffled.before}


def test_a_second_one_vanishing_after_the_agreement_makes_it_grow() -> None:
    mesh = at_draw(5)
    mesh.quiet()
    mesh.vote_out(4)
    mesh.kill(3)  # voted, but never gives
    mesh.run()
    assert all(mesh.nodes[p].table.epoch == 0 for p in (0, 1, 2))
    for p in (0, 1, 2):
        mesh.post(p, mesh.nodes[p].entries.departures.vote((3, 4)))
    mesh.run().agree()
    left = next(c for c in mesh.nodes[0].closed if c.kind == "gone").chance
    assert isinstance(left, Left) and left.seats == (3, 4)


def test_a_vote_taken_back_counts_no_more_and_may_be_cast_again() -> None:
    mesh = at_draw(4)
    mesh.quiet()
    mesh.kill(3)
    vote = {p: mesh.nodes[p].entries.departures.vote for p in (0, 1, 2)}
    mesh.post(2, vote[2]((3,)))
    mesh.post(2, vote[2](()))
    assert mesh.nodes[2].entries.departures.deaf == frozenset()
    for p in (0, 1):
        mesh.post(p, vote[p]((3,)))
    mesh.run()
    assert all(mesh.nodes[p].table.epoch == 0 for p in (0, 1, 2))
    mesh.post(2, vote[2]((3,)))
    mesh.run().agree()
    gons = [raw for raw in next(c for c in mesh.nodes[0].closed if c.kind == "gone").raws if body_of(raw) == "gon"]
    versions = [decode_body(0, bytes(decode(DealerMessage, raw).b)).v for raw in gons]  # type: ignore[union-attr]
    assert versions == [1, 1, 3]


def test_a_node_that_gave_its_shares_closes_nothing_else_at_that_tip() -> None:
    mesh = Mesh(3, SCRIPT)
    for node in mesh.nodes:
        node.holds_frames = True
    mesh.to(1)
    node = mesh.nodes[0]
    mesh.kill(2)
    for p in (0, 1):
        mesh.post(p, mesh.nodes[p].entries.departures.vote((2,)))
    mesh.nodes[0].deliver(mesh.nodes[0].inbox.pop())
    mesh.drop = lambda source, target, raw: True
    mesh.post(0, node.duties()[0].make())
    frame = b"frame 1"
    assert node.entries.why_not_frame(frame) is not None
    with pytest.raises(LocalError):
        node.entries.framed(frame)
    assert mesh.nodes[1].entries.why_not_frame(frame) is None  # it has given nothing yet
    tip = mesh.nodes[1].entries.framed(frame)
    node.take(node.entries.peer_at(1, tip))  # peer 1 moved on and will never give: follow it
    assert node.entries.why_not_frame(frame) is None


def test_votes_are_bounded() -> None:
    mesh = at_draw(4)
    mesh.quiet()
    entries = mesh.nodes[1].entries
    for v in range(1, 3 * MAX_VOTES):
        message = DealerMessage(MATCH, 1, entries.tip, entries.digest, Raw(encode_body(Gon(v, (3,), (None,)))))
        mesh.nodes[0].deliver(encode(message))
    assert len(mesh.nodes[0].entries.departures.messages()) == MAX_VOTES
    assert len(mesh.nodes[0].entries.forks._known) < 100


def test_two_votes_with_one_number_are_a_fork() -> None:
    mesh = at_draw(4)
    entries = mesh.nodes[1].entries
    for w in ((3,), (2,)):
        message = DealerMessage(MATCH, 1, entries.tip, entries.digest, Raw(encode_body(Gon(1, w, (None,)))))
        mesh.nodes[0].deliver(encode(message))
    assert [(b.peer, b.code) for b in mesh.nodes[0].blamed] == [(1, "fork")]


def test_a_false_share_in_a_departure_is_blamed_on_its_giver() -> None:
    from kontor_games.net.sealed.bodies import Giv

    mesh = at_draw(4)
    mesh.quiet()
    mesh.vote_out(3)
    mesh.quiet()
    (duty,) = [d for d in mesh.nodes[1].duties() if d.name == "giv"]
    message = duty.make()
    body = decode_body(1, bytes(message.b))
    assert isinstance(body, Giv)
    wrong = encode(replace(message, b=Raw(encode_body(replace(body, f=b"\1" + bytes(31))))))
    mesh.nodes[0].deliver(wrong)
    (blamed,) = mesh.nodes[0].blamed
    assert (blamed.peer, blamed.code, blamed.raws[-1]) == (1, "giv.share", wrong)
    assert mesh.nodes[0].table.epoch == 0


# --- leaving in order


@pytest.mark.parametrize("seed", range(3))
def test_bye_takes_effect_where_its_sender_owes_something(seed: int) -> None:
    """Peer 2 says goodbye while peer 1 is to act; the frame may overtake it, the chain is the same."""
    mesh = Mesh(4, SCRIPT, seed)
    for node in mesh.nodes:
        node.holds_frames = True
    mesh.to(1)
    entries = mesh.nodes[2].entries
    mesh.post(2, entries.goodbyes.leave(mesh.nodes[2].player))  # type: ignore[arg-type]
    mesh.kill(2)
    mesh.quiet()
    assert mesh.nodes[0].table.epoch == 0  # peer 0 is to act: nothing waits for peer 2
    for node in mesh.nodes:
        node.holds_frames = False
        node.frame()
    mesh.run().agree()
    kinds = mesh.kinds()
    assert kinds[kinds.index("gone") :][:3] == ["gone", "escrow", "want"]
    gone = next(c for c in mesh.nodes[0].closed if c.kind == "gone")
    assert [body_of(raw) for raw in gone.raws] == ["bye"]


def test_bye_of_the_one_to_act_takes_effect_at_once() -> None:
    mesh = Mesh(3, SCRIPT)
    for node in mesh.nodes:
        node.holds_frames = True
    mesh.to(1)
    mesh.post(0, mesh.nodes[0].entries.goodbyes.leave(mesh.nodes[0].player))  # type: ignore[arg-type]
    mesh.kill(0)
    mesh.quiet()
    assert mesh.nodes[1].table.active == (1, 2)
    mesh.agree()


def test_bye_of_one_of_two_is_proven_at_once() -> None:
    mesh = Mesh(2, (Mix(1, (5, 6, 7, 8), (), DECK), 0, Deal(2, ((0, None),)), None))
    mesh.to(2)
    mesh.post(1, mesh.nodes[1].entries.goodbyes.leave(mesh.nodes[1].player))  # type: ignore[arg-type]
    mesh.kill(1)
    mesh.run().agree()
    gone = next(c for c in mesh.nodes[0].closed if c.kind == "gone")
    assert gone.chance == Left((1,), ()) and sender(gone.raws[0]) == 1


def test_nobody_says_goodbye_between_its_part_and_the_end_of_an_entry() -> None:
    mesh = at_draw()
    entries, player = mesh.nodes[1].entries, mesh.nodes[1].player
    assert entries.goodbyes.why_not_leave() is None and player is not None
    mesh.post(1, mesh.nodes[1].duties()[0].make())
    with pytest.raises(LocalError, match="closed"):
        entries.goodbyes.leave(player)


@pytest.mark.parametrize("held", [True, False])
def test_bye_during_a_new_escrow_starts_the_waiting_entry_again(held: bool) -> None:
    """Peer 1 sent its share of the draw, then peer 4 vanished, and peer 1 says goodbye instead of a new escrow."""
    mesh = at_draw(5)
    mesh.drop = lambda source, target, raw: not held and target == 2
    mesh.post(1, mesh.nodes[1].duties()[0].make())  # with held=False peer 2 never sees it
    mesh.drop = lambda source, target, raw: False
    mesh.quiet()
    mesh.pause = 2
    mesh.vote_out(4)
    for p in (0, 1, 2, 3):
        mesh.quiet()
        mesh.post(p, next(duty for duty in mesh.nodes[p].duties() if duty.name == "giv").make())
    mesh.quiet()
    assert mesh.nodes[0].table.epoch == 1
    mesh.post(1, mesh.nodes[1].entries.goodbyes.leave(mesh.nodes[1].player))  # type: ignore[arg-type]
    mesh.kill(1)
    mesh.pause = None
    mesh.run().agree()
    assert mesh.kinds()[-1] == "open"
    dealt = next(c for c in mesh.nodes[0].closed if isinstance(c.chance, Dealt))
    assert [sender(raw) for raw in dealt.raws] == [0, 2, 3]
    assert {tip_before(raw) for raw in dealt.raws} == {dealt.before}


def test_a_wrong_bye_is_blamed() -> None:
    from kontor_games.net.sealed.bodies import Bye

    mesh = at_draw()
    entries = mesh.nodes[1].entries
    wrong = DealerMessage(MATCH, 1, entries.tip, entries.digest, Raw(encode_body(Bye(b"\1" + bytes(31)))))
    mesh.nodes[0].deliver(encode(wrong))
    assert [(b.peer, b.code) for b in mesh.nodes[0].blamed] == [(1, "bye.key")]


# --- the chain proves itself


@pytest.fixture(scope="module")
def finished() -> list[EntryClosed]:
    """A match with a departure, as the chain that remains."""
    mesh = at_draw(4)
    mesh.quiet()
    mesh.vote_out(3)
    mesh.run().agree()
    closed = mesh.nodes[0].closed
    assert closed[-1].kind == "open" and any(isinstance(c.chance, Dealt | Moved) for c in closed)
    return closed


def replay(raws: list[bytes], n: int = 4) -> Node:
    node = spectator_node(CardTable(MATCH, n, tuple(range(n))), SCRIPT)
    for raw in raws:
        node.deliver(raw)
        node.frame()
    return node


def test_a_stranger_replays_the_chain_and_gets_the_same_actions(finished: list[EntryClosed]) -> None:
    node = replay([raw for closed in finished for raw in closed.raws])
    assert node.closed == finished and node.blamed == []
    assert [c.chance for c in node.closed if c.chance] == [c.chance for c in finished if c.chance]


def test_any_flipped_byte_is_found(finished: list[EntryClosed]) -> None:
    raws = [raw for closed in finished for raw in closed.raws]
    rng = Random(7)
    for index in range(len(raws)):
        place, bit = rng.randrange(len(raws[index])), 1 << rng.randrange(8)
        changed = bytearray(raws[index])
        changed[place] ^= bit
        try:
            decode(DealerMessage, bytes(changed))
        except Exception:
            continue
        node = replay([*raws[:index], bytes(changed), *raws[index + 1 :]])
        assert node.closed != finished, (index, place)


def test_a_dropped_swapped_or_changed_message_is_found(finished: list[EntryClosed]) -> None:
    raws = [raw for closed in finished for raw in closed.raws]
    for index in range(0, len(raws), 5):
        assert replay(raws[:index] + raws[index + 1 :]).closed != finished
    # inside an entry the order of arrival does not matter: the entry has its own
    assert replay([*raws[1:4], raws[0], *raws[4:]]).closed == finished
    doubled = [raw for raw in raws for _ in range(2)]
    assert replay(doubled).closed == finished  # repeats add nothing to the chain


def test_blame_is_reproduced_from_the_chain_and_the_offending_message(finished: list[EntryClosed]) -> None:
    raws = [raw for closed in finished for raw in closed.raws]
    index = next(i for i, raw in enumerate(raws) if body_of(raw) == "mix")
    bad = encode(variant(decode(DealerMessage, raws[index])))
    for _ in range(2):
        assert replay([*raws[:index], bad]).blamed == [Blamed(sender(bad), "mix.proof", (bad,))]


def test_a_missing_opening_leaves_the_last_entry_open_and_nothing_else(finished: list[EntryClosed]) -> None:
    raws = [raw for closed in finished for raw in closed.raws]
    node = replay(raws[:-1])
    assert node.closed == finished[:-1] and node.entries.busy
    assert node.table.final == {} and len(node.table.task.got) == 2  # type: ignore[union-attr]
