"""The promises of one session, each against whoever would break it (design: docs/threats.md).

Every test here failed on the code before it: honest nodes signed twice, waited for ever, or were taken for cheats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec import Raw
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import IllegalAction, RemoteError
from kontor_games.net.ledger.facts import Fault
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.ledger.places import place_of
from kontor_games.net.lockstep.effects import Diverged, DropPeer, Effect, Healed, Pledge, ReadsOnly, Send, WriteBundle
from kontor_games.net.lockstep.session import Session
from kontor_games.net.lockstep.standoff import AGAIN_SECONDS
from kontor_games.net.sealed import bodies
from kontor_games.net.sealed.bodies import Giv, Gon, Shr
from kontor_games.net.sealed.tasks import SharePlan
from kontor_games.net.wire.chain import Chat, DealerMessage, Frame, Mark, decode, encode
from kontor_games.net.wire.match_talk import Ask, Chunk, Dump, Item, MovedTalk, Signed, Talk, Where
from tests.samples import combined
from tests.worlds.world import VERSION, Node, World, identity, make_terms, written

NONSENSE = Item("frame", (Signed("frame", 1, b"\x80", bytes(64)),))


def at_turn_of(world: World, peer: int, ply: int = 10) -> None:
    """Play until this peer is to act, everybody stands there and nothing is under way."""
    for _ in range(20_000):
        world.step()
        ledger = world.nodes[peer].session.ledger
        if ledger.state is None or ledger.ply <= ply or ledger.turn is None or ledger.seat_peer(ledger.turn) != peer:
            continue
        if world.flying or world.works:
            continue
        if len({node.session.ledger.tip for node in world.nodes if node.alive}) == 1:
            world.tick()
            world.quiet()
            return
    raise AssertionError("the match ended before that")


def choices(node: Node) -> list[engine.Action]:
    ledger = node.session.ledger
    assert ledger.state is not None and ledger.turn is not None
    return engine.legal(ledger.game, ledger.state, ledger.known(ledger.turn))


def faults(world: World) -> set[tuple[int, str]]:
    return {(e.peer, e.code) for node in world.nodes for e in node.told if isinstance(e, Fault)}


def goes_on(world: World, moves: int = 4, ticks: int = 60) -> bool:
    """Whether those who are there make some more moves, or come to the end."""
    nodes = [node for node in world.nodes if node.alive]
    before = max(node.session.ledger.ply for node in nodes)
    world.play_on(moves=moves, ticks=ticks)
    world.quiet()
    ended = all(node.session.ledger.is_complete for node in nodes)
    return ended or max(node.session.ledger.ply for node in nodes) > before


class Spy:
    """Sees everything signed that leaves a node, over all its restarts."""

    def __init__(self, world: World) -> None:
        self.seen: dict[int, dict[object, set[bytes]]] = {}
        self._carry_out = world._carry_out
        world._carry_out = self.carry_out  # type: ignore[method-assign]

    def carry_out(self, node: Node, effects: Sequence[Effect]) -> bool:
        for effect in effects:
            for signed in _signed_in(effect.talk) if isinstance(effect, Send) else ():
                place = place_of(signed) if signed.peer == node.number else None
                if place is not None:
                    self.seen.setdefault(node.number, {}).setdefault(place, set()).add(signed.raw)
        return self._carry_out(node, effects)

    def assert_one_word_for_each_place(self) -> None:
        assert all(len(raws) == 1 for places in self.seen.values() for raws in places.values())


def _signed_in(talk: Talk) -> tuple[Signed, ...]:
    match talk:
        case Signed():
            return (talk,)
        case MovedTalk(frame=frame):
            return (frame,)
        case Chunk(items=items):
            return tuple(part for item in items for part in item.parts)
        case _:
            return ()


# ---- P4: one word for each place


def test_nonsense_for_later_does_not_make_a_node_sign_two_turns_for_one_tip() -> None:
    world = World(make_terms("osaka", 2), 2, "a2")
    spy = Spy(world)
    world.begin()
    at_turn_of(world, 0)
    victor = world.nodes[0]
    position = victor.session.ledger.position
    world.perform(victor, victor.session.heard(1, Chunk(position + 1, (NONSENSE,), 0)))
    first, second = choices(victor)[:2]
    world.perform(victor, victor.session.play([first]))
    world.perform(victor, victor.session.heard(1, Ask(position)))  # Mallory takes it away, and does not show it
    world.flying.clear()
    world.crash(0)
    world.restart(0)
    world.link(0, 1)
    world.quiet()
    if victor.session.why_not_play([second]) is None:
        world.perform(victor, victor.session.play([second]))
    world.play_on(moves=3)
    spy.assert_one_word_for_each_place()
    assert not faults(world)


def test_what_is_not_on_the_disk_is_shown_to_nobody_and_is_said_in_the_same_bytes_later() -> None:
    world = World(make_terms("osaka", 3), 3, "a2b")
    world.begin()
    at_turn_of(world, 0)
    node = world.nodes[0]
    ledger = node.session.ledger
    position, tip = ledger.position, ledger.tip
    node.disk_is_full = True
    first, second = choices(node)[:2]
    world.perform(node, node.session.play([first]))
    (pledge,) = (effect for effect in node.unwritten if isinstance(effect, Pledge))
    assert not world.flying and ledger.tip == tip
    for peer in (1, 2):
        world.perform(node, node.session.heard(peer, Ask(position)))
        world.perform(node, node.session.heard(peer, Where(position, tip, ledger.digest, (0,))))
    for _ in range(10):
        world.tick()
    assert pledge.signed not in [signed for _, _, talk in world.flying for signed in _signed_in(talk)]
    assert node.session.why_not_play([second]) is not None, "no other turn is signed in its stead"
    node.disk_is_full = False
    world.perform(node, [])
    world.quiet()
    assert [n.session.ledger.items[position].parts[0] for n in world.nodes] == [pledge.signed] * 3


@pytest.mark.parametrize("is_written", [False, True])
def test_a_crash_between_the_disk_and_the_others_makes_no_second_turn(is_written: bool) -> None:
    """Killed after signing: the record may be on the disk or not, and nobody has seen it."""
    world = World(make_terms("osaka", 3), 3, "a2c")
    spy = Spy(world)
    world.begin()
    at_turn_of(world, 0)
    node = world.nodes[0]
    node.disk_is_full = True
    first, second = choices(node)[:2]
    world.perform(node, node.session.play([first]))
    if is_written:
        node.journal += [effect.signed for effect in node.unwritten]
        node.synced = len(node.journal)
    node.disk_is_full = False
    world.crash(0)
    world.restart(0)
    world.link(0, 1)
    world.link(0, 2)
    world.quiet()
    if node.session.why_not_play([second]) is None:
        world.perform(node, node.session.play([second]))
    assert goes_on(world)
    spy.assert_one_word_for_each_place()
    assert not faults(world)


def cut(node: Node, length: int) -> None:
    """The journal loses its tail, at the end of a record: nothing shows it."""
    node.journal = node.journal[:length]
    node.synced = length


def test_a_vote_that_the_journal_has_lost_is_not_contradicted() -> None:
    world = World(make_terms("osaka", 3), 3, "t1")
    world.begin()
    at_turn_of(world, 0)
    node = world.nodes[1]
    length = len(node.journal)
    world.perform(node, node.session.vote_gone([0]))
    world.quiet()
    world.crash(1)
    cut(node, length)
    world.restart(1)
    world.perform(node, node.session.vote_gone([2]))  # before anybody is linked again
    world.link(0, 1)
    world.link(1, 2)
    for _ in range(20):
        world.quiet()
        world.tick()
    assert not faults(world)


def test_a_turn_that_the_journal_has_lost_stands_although_a_peer_hides_it() -> None:
    world = World(make_terms("osaka", 2), 2, "t2")
    spy = Spy(world)
    world.begin()
    at_turn_of(world, 0)
    node, mallory = world.nodes
    length = len(node.journal)
    first, last = choices(node)[0], choices(node)[-1]
    assert first != last
    world.perform(node, node.session.play([first]))
    lost = node.journal[length]
    world.flying = []  # Mallory keeps the bytes to itself
    world.crash(0)
    cut(node, length)
    world.restart(0)
    world.link(0, 1)
    for _ in range(10):
        world.quiet()
        world.tick()
    if node.session.why_not_play([last]) is None:
        world.perform(node, node.session.play([last]))
        world.quiet()
    world.perform(mallory, mallory.session.heard(0, lost))
    assert not faults(world)
    spy.assert_one_word_for_each_place()
    assert goes_on(world)


def test_a_node_that_lost_much_of_its_journal_signs_nothing_until_it_has_caught_up() -> None:
    world = World(make_terms("osaka", 3), 3, "t3")
    spy = Spy(world)
    world.begin()
    at_turn_of(world, 0, ply=20)
    node = world.nodes[0]
    world.crash(0)
    cut(node, 5)
    world.restart(0)
    with_nobody = written(node, node.session.tick(world.now))
    assert not [effect for effect in with_nobody if isinstance(effect, Pledge)]
    world.link(0, 1)
    world.link(0, 2)
    assert goes_on(world)
    spy.assert_one_word_for_each_place()
    assert not faults(world)


def test_a_node_that_cannot_know_what_it_signed_only_reads_and_says_so() -> None:
    world = World(make_terms("osaka", 3), 3, "t4")
    world.begin()
    at_turn_of(world, 0)
    node = world.nodes[0]
    world.crash(0)
    ledger = Ledger(node.terms, 0, H("test", "secret 0", size=32))
    node.session, node.alive = Session(ledger, identity(0), VERSION), True
    told = node.session.restore(node.journal, (), "what this node has signed cannot be read any more")
    assert [type(effect) for effect in told if isinstance(effect, ReadsOnly)]
    world.perform(node, node.session.start())
    world.link(0, 1)
    world.link(0, 2)
    for _ in range(10):
        world.quiet()
        world.tick()
    assert "only reads" in str(node.session.why_not_play(choices(world.nodes[1])[:1]))
    for refused in (lambda: node.session.vote_gone([1]), node.session.bye, lambda: node.session.chat("hello")):
        with pytest.raises(IllegalAction, match="only reads"):
            refused()
    for number in (1, 2):
        world.perform(world.nodes[number], world.nodes[number].session.vote_gone([0]))
    for _ in range(20):
        world.quiet()
        world.tick()
    assert world.nodes[1].session.ledger.active == (1, 2), "the others go on without it"
    assert not faults(world)


def test_a_node_whose_own_words_come_back_to_it_stands_by_them() -> None:
    """Everything of its own is lost, and a peer shows what this node signed: it does not sign anything else there."""
    world = World(make_terms("osaka", 3), 3, "t5")
    spy = Spy(world)
    world.begin()
    at_turn_of(world, 0)
    node = world.nodes[1]
    length = len(node.journal)
    world.perform(node, node.session.vote_gone([0]))
    world.quiet()
    world.crash(1)
    cut(node, length)
    node.words = ()
    world.restart(1)
    world.link(0, 1)
    world.link(1, 2)
    world.quiet()
    world.perform(node, node.session.vote_gone([2]))
    for _ in range(20):
        world.quiet()
        world.tick()
    spy.assert_one_word_for_each_place()
    assert not faults(world)


@pytest.mark.parametrize("secret", [None, H("test", "another secret", size=32)])
def test_a_node_without_the_secret_of_its_match_only_reads(secret: bytes | None) -> None:
    world = World(make_terms("osaka", 3), 3, "s2")
    world.begin()
    at_turn_of(world, 0)
    world.crash(1)
    node = world.nodes[1]
    node.session, node.alive = Session(Ledger(node.terms, 1, secret), identity(1), VERSION), True
    node.told += node.session.restore(node.journal, node.words)
    world.perform(node, node.session.start())
    world.link(0, 1)
    world.link(1, 2)
    world.play_on(moves=10, ticks=20)
    assert not faults(world)
    assert node.session.reads_only is not None and "secret" in node.session.reads_only


def test_lines_of_chat_get_new_numbers_after_a_power_cut() -> None:
    world = World(make_terms("osaka", 2), 2, "n9")
    spy = Spy(world)
    world.begin()
    world.quiet()
    for text in ("one", "two"):
        world.perform(world.nodes[0], world.nodes[0].session.chat(text))
    world.quiet()
    world.crash(0)  # what was not synced is gone
    world.restart(0)
    world.link(0, 1)
    world.quiet()
    world.perform(world.nodes[0], world.nodes[0].session.chat("three"))
    world.quiet()
    spy.assert_one_word_for_each_place()
    lines = [decode(Chat, signed.raw) for signed in world.nodes[1].journal if signed.kind == "chat"]
    assert [(line.n, line.t) for line in lines] == [(0, "one"), (1, "two"), (2, "three")]


# ---- P5: nobody stops the others


def test_a_poisoned_backlog_costs_its_sender_the_link_and_nobody_else() -> None:
    world = World(make_terms("joban", 4), 4, "p")
    world.begin()
    world.play_on(moves=4)
    world.quiet()
    node = world.nodes[0]
    for offset in range(3):
        poison = Chunk(node.session.ledger.position + offset, (NONSENSE,) * 60, 1)
        world.perform(node, node.session.heard(3, poison))
    world.play_on(moves=12)
    world.quiet()
    assert {reason.split(":")[0] for reason in world.refused} == {"0 refused 3"}
    assert len({n.session.ledger.position for n in world.nodes}) == 1


def test_items_that_are_signed_but_do_not_follow_cost_nothing_but_themselves() -> None:
    """Old items of the same match, sent for positions to come, again and again, while the node is behind."""
    world = World(make_terms("joban", 4), 4, "p2")
    world.begin()
    world.play_on(moves=6)
    world.quiet()
    world.crash(0)
    world.play_on(moves=1)
    node = world.nodes[0]
    cut(node, 5)
    world.restart(0)
    old = tuple(world.nodes[1].session.ledger.items[:6])
    for position in (0, 1, 2, 5):
        world.perform(node, node.session.heard(3, Chunk(position, old[::-1], 1)))
    for other in (1, 2, 3):
        world.link(0, other)
    assert goes_on(world)
    assert len({n.session.ledger.position for n in world.nodes}) == 1
    assert not world.refused and not faults(world)


def lying_vote(node: Node, named: bytes) -> Callable[[Sequence[int]], object]:
    """Makes this node's votes name a message that nobody has."""
    real = node.session.ledger.entries.departures.vote

    def vote(gone: Sequence[int]) -> object:
        message = real(gone)
        body = bodies.decode(node.number, bytes(message.b))
        assert isinstance(body, Gon)
        return replace(message, b=Raw(bodies.encode(replace(body, f=tuple(named for _ in body.w)))))

    return vote


def test_a_vote_that_names_a_message_nobody_has_holds_nobody() -> None:
    world = World(make_terms("hansa", 5), 5, "a4")
    world.begin()
    at_turn_of(world, 4)
    world.crash(4)
    liar = world.nodes[3]
    liar.session.ledger.entries.departures.vote = lying_vote(liar, b"\x99" * 32)  # type: ignore[method-assign,assignment]
    for number in (0, 1, 2, 3):
        world.perform(world.nodes[number], world.nodes[number].session.vote_gone([4]))
    for _ in range(20):
        world.quiet()
        world.tick()
    assert world.nodes[0].session.ledger.active == (0, 1, 2, 3, 4), "that vote does not count"
    world.nodes[3].alive = False
    for number in (0, 1, 2):
        world.perform(world.nodes[number], world.nodes[number].session.vote_gone([3, 4]))
    assert goes_on(world)
    assert world.nodes[0].session.ledger.active == (0, 1, 2)
    assert not faults(world)


def test_a_vote_that_names_a_wrong_message_does_not_count() -> None:
    """The departure would close, and the file would not verify: nothing in it could stand for that name."""
    world = World(make_terms("osaka", 4), 4, "a4c")
    world.begin()
    while True:  # until a draw is open that waits for peer 3
        world.step()
        ledger = world.nodes[0].session.ledger
        entry = ledger.entries.position.open
        is_draw = entry is not None and isinstance(entry.task.plan, SharePlan)
        if ledger.ply > 5 and entry is not None and is_draw and entry.expects(3):
            break
    world.crash(3)
    world.quiet()
    entry = world.nodes[0].session.ledger.entries.position.open
    assert entry is not None and isinstance(entry.task.plan, SharePlan) and entry.expects(3)
    tip, digest = world.nodes[0].session.ledger.tip, world.nodes[0].session.ledger.digest
    assert entry.task.want is not None
    body = Shr(entry.task.want.r, bytes(32 * len(dict(entry.task.plan.bases)[3])), bytes(32), bytes(32))
    raw = encode(DealerMessage(world.nodes[0].session.ledger.match, 3, tip, digest, Raw(bodies.encode(body))))
    wrong = Signed("dealer", 3, raw, identity(3).sign("dealer", raw))
    liar = world.nodes[2]
    liar.session.ledger.entries.departures.vote = lying_vote(liar, H("msg", raw, size=32))  # type: ignore[method-assign,assignment]
    for number in (0, 1):
        world.perform(world.nodes[number], world.nodes[number].session.vote_gone([3]))
        world.perform(world.nodes[number], world.nodes[number].session.heard(2, wrong))
    world.perform(liar, liar.session.vote_gone([3]))
    for _ in range(20):
        world.quiet()
        world.tick()
    assert world.nodes[0].session.ledger.active == world.nodes[1].session.ledger.active == (0, 1, 2, 3)
    assert faults(world) <= {(3, "shr.form"), (3, "shr.proof"), (3, "shr.point")}, "it is the one who signed it"


def test_what_a_vote_names_is_on_the_disk_before_the_shares_that_rest_on_it() -> None:
    world = World(make_terms("osaka", 3), 3, "a4b")
    world.begin()
    node = world.nodes[1]
    while True:  # until a draw is open and the message of peer 2 is here
        world.step()
        entry = node.session.ledger.entries.position.open
        if node.session.ledger.ply > 5 and entry is not None and ("shr", 2) in entry.applied:
            break
    named = entry.applied["shr", 2].raw
    world.crash(2)
    for number in (0, 1):
        world.perform(world.nodes[number], world.nodes[number].session.vote_gone([2]))
    for _ in range(30):
        world.quiet()
        world.tick()
    assert node.session.ledger.active == (0, 1)
    raws = [signed.raw for signed in node.journal[: node.synced]]
    gave = next(k for k, raw in enumerate(raws) if node.journal[k].peer == 1 and isinstance(body_of(raw), Giv))
    if named in [part.raw for item in node.session.ledger.items for part in item.parts]:
        assert raws.index(named) < gave


def body_of(raw: bytes) -> bodies.Body | None:
    """The body of a dealer message, None for any other bytes."""
    try:
        message = decode(DealerMessage, raw)
    except RemoteError:
        return None
    return bodies.decode(message.p, bytes(message.b))


def test_an_unsigned_false_state_stops_nobody() -> None:
    world = World(make_terms("joban", 4), 4, "f")
    world.begin()
    world.play_on(moves=6)
    world.quiet()
    for victim in world.nodes[:3]:
        ledger = victim.session.ledger
        lie = Where(ledger.position, ledger.tip, b"\x66" * 32, (0, 1, 2))
        world.perform(victim, victim.session.heard(3, lie))
        assert not victim.session.is_stopped
    world.nodes[3].alive = False
    for node in world.nodes[:3]:
        world.perform(node, node.session.vote_gone([3]))
    assert goes_on(world)
    assert world.nodes[0].session.ledger.active == (0, 1, 2)
    assert not faults(world)


def claim(node: Node, liar: int) -> Signed:
    """The signed word of a liar that the state here is another one."""
    raw = encode(Mark(node.session.ledger.match, liar, node.session.ledger.tip, b"\x66" * 32))
    return Signed("ack", liar, raw, identity(liar).sign("ack", raw))


def test_a_signed_false_state_costs_one_replay_and_everybody_sees_it() -> None:
    world = World(make_terms("joban", 4), 4, "f2")
    replays: list[int] = []

    def replay(node: Node) -> bytes:
        replays.append(node.number)
        return node.session.ledger.state_bytes()

    world.on_replay = replay
    world.begin()
    world.play_on(moves=6)
    world.quiet()
    lie = claim(world.nodes[0], 3)
    world.nodes[3].alive = False
    world.perform(world.nodes[0], world.nodes[0].session.heard(3, lie))
    world.quiet()
    assert sorted(replays) == [0, 1, 2], "it is passed on, so that all see why somebody waits"
    assert all(any(isinstance(e, Diverged) for e in node.told) for node in world.nodes[:3])
    assert all(Healed((3,)) in node.told and not node.session.is_stopped for node in world.nodes[:3])
    for node in world.nodes[:3]:
        world.perform(node, node.session.vote_gone([3]))
    world.play_on(moves=1)
    for node in world.nodes[:3]:
        world.perform(node, node.session.heard(3, claim(node, 3)))
    world.quiet()
    assert len(replays) == 3, "one replay for each accuser and match"
    assert goes_on(world)
    assert not faults(world)


def test_a_replay_that_failed_confirms_nothing_and_votes_count_meanwhile() -> None:
    world = World(make_terms("joban", 4), 4, "n7")
    world.on_replay = lambda node: None
    world.begin()
    world.play_on(moves=6)
    world.quiet()
    for node in world.nodes[:3]:
        world.perform(node, node.session.heard(3, claim(world.nodes[0], 3)))
    world.quiet()
    world.nodes[3].alive = False
    assert all(node.session.is_stopped for node in world.nodes[:3])
    assert "stopped" in str(world.nodes[0].session.why_not_play([]))
    asked: list[int] = []
    world.on_replay = lambda node: asked.append(node.number)  # type: ignore[func-returns-value]
    for _ in range(int(AGAIN_SECONDS / 0.5) + 2):
        world.tick()
    assert sorted(asked) == [0, 1, 2], "it is tried again after a while, once"
    for node in world.nodes[:3]:
        world.perform(node, node.session.vote_gone([3]))
    assert goes_on(world), "whoever claimed it is no longer at the table"
    assert world.nodes[0].session.ledger.active == (0, 1, 2)
    assert not faults(world)


def test_a_goodbye_is_taken_while_the_nodes_differ() -> None:
    world = World(make_terms("joban", 4), 4, "n7b")
    world.on_replay = lambda node: None
    world.begin()
    world.play_on(moves=6)
    world.quiet()
    for node in world.nodes[:3]:
        world.perform(node, node.session.heard(3, claim(world.nodes[0], 3)))
    world.perform(world.nodes[3], world.nodes[3].session.bye())
    assert goes_on(world)
    assert world.nodes[0].session.ledger.active == (0, 1, 2)


def test_states_are_written_down_once_for_each_accuser_and_for_nobody_else() -> None:
    world = World(make_terms("joban", 3), 3, "dump")
    world.on_replay = lambda node: node.session.ledger.state_bytes()
    world.begin()
    world.play_on(moves=3)
    world.quiet()
    node = world.nodes[0]
    dump = Dump(node.session.ledger.tip, "test", b"\x01")
    assert node.session.heard(1, dump) == [], "nobody has claimed another state"
    world.perform(node, node.session.heard(1, claim(node, 1)))
    reports = [e for _ in range(3) for e in node.session.heard(1, dump) if isinstance(e, WriteBundle)]
    assert len(reports) == 1


def held_back(world: World, holds: Callable[[tuple[int, int, Talk]], bool]) -> list[tuple[int, int, Talk]]:
    """Deliver everything but what is held back, which comes back."""
    kept: list[tuple[int, int, Talk]] = []
    for _ in range(3000):
        for item in list(world.flying):
            if holds(item):
                world.flying.remove(item)
                kept.append(item)
        if world.works:
            world.work()
        elif world.flying:
            world.deliver(0)
        else:
            break
    return kept


@pytest.mark.parametrize("changes_its_mind", [False, True])
def test_survivors_do_not_part_when_the_accused_was_only_slow(changes_its_mind: bool) -> None:
    """B and C vote A out, both gave shares, C closes; C's shares are under way when A, only slow, plays."""
    world = World(make_terms("osaka", 3), 3, "s1")
    world.begin()
    at_turn_of(world, 0)
    a, b, c = world.nodes
    for node in (b, c):
        world.perform(node, node.session.vote_gone([0]))
    is_held = [False]

    def slow(item: tuple[int, int, Talk]) -> bool:
        source, target, talk = item
        is_shares = isinstance(talk, Signed) and talk.kind == "dealer" and isinstance(body_of(talk.raw), Giv)
        is_held[0] |= (source, target) == (2, 1) and is_shares
        return target == 0 or (is_held[0] and (source, target) == (2, 1))

    late = held_back(world, slow)
    assert c.session.ledger.active == (1, 2) and b.session.ledger.active == (0, 1, 2)
    world.move_of(a)
    if changes_its_mind:
        world.perform(b, b.session.vote_gone([]))
    for _ in range(5):
        late += held_back(world, slow)
        world.tick()
    world.flying += late
    for _ in range(60):
        world.quiet()
        world.tick()
    assert b.session.ledger.active == c.session.ledger.active == (1, 2)
    assert b.session.ledger.tip == c.session.ledger.tip
    assert a.session.ledger.tip == c.session.ledger.tip, "the slow one learns that the others went on without it"
    assert not faults(world)


# ---- P6: a lost link stops no match


@pytest.mark.parametrize(("game", "seed"), combined(("osaka", "joban"), [f"s{number}" for number in range(8)]))
def test_a_link_whose_ends_notice_its_loss_at_different_times_stops_no_match(game: str, seed: str) -> None:
    world = World(make_terms(game, 3), 3, seed)
    world.begin()
    number = int(seed[1:])
    world.play_on(moves=4 + number)
    first, second = [(0, 1), (1, 0), (0, 2), (2, 1)][number % 4]
    world.lose(first, second)
    world.notice(first, second)
    world.unnoticed = {(second, first): 1000}
    for _ in range(40):
        world.quiet()
        if not world.move():
            world.tick()
    world.notice(second, first)
    assert goes_on(world, moves=5, ticks=240)


def test_a_dropped_peer_is_named_with_what_it_did() -> None:
    world = World(make_terms("joban", 3), 3, "drop")
    world.begin()
    world.quiet()
    session = world.nodes[0].session
    frame = Frame(session.ledger.match, 1, session.ledger.tip, 0, session.ledger.digest, (Raw(b"\x90"),))
    forged = Signed("frame", 1, encode(frame), bytes(64))
    (drop,) = session.heard(2, forged)
    assert isinstance(drop, DropPeer) and drop.peer == 2 and "signature" in drop.reason
