"""Shuffles made while the one before them is still being checked: made once, used only if that one holds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from kontor_games.net.ledger.facts import Fault
from kontor_games.net.sealed import bodies
from kontor_games.net.sealed.algebra import mix
from kontor_games.net.sealed.events import Ahead
from kontor_games.net.wire.chain import DealerMessage, decode, encode
from kontor_games.net.wire.match_talk import Signed
from tests.worlds.world import World, identity, make_terms


@pytest.fixture
def proven(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """How often each shuffle was made, by its inputs."""
    counts: Counter[bytes] = Counter()
    real = mix.prove

    def prove(z: bytes, bound: bytes, key: Any, inputs: Any) -> mix.Shuffle:
        counts[bound + mix.flat(inputs)] += 1
        return real(z, bound, key, inputs)

    monkeypatch.setattr(mix, "prove", prove)
    return counts


def ahead_of(world: World) -> list[int]:
    """The nodes that have such work in hand."""
    return [number for number, _, work in world.works if isinstance(getattr(work.job, "__self__", None), Ahead)]


def mix_of(talk: object) -> bodies.MixBody | None:
    if isinstance(talk, Signed) and talk.kind == "dealer":
        body = bodies.decode(talk.peer, bytes(decode(DealerMessage, talk.raw).b))
        return body if isinstance(body, bodies.MixBody) else None
    return None


def until_a_shuffle_is_sent(world: World, by: int) -> None:
    """Let things happen until a shuffle of this peer is on its way, and nothing of it has arrived."""
    for _ in range(10_000):
        if any(mix_of(talk) and talk.peer == by for _, _, talk in world.flying):
            return
        if world.works:
            world.work()
        else:
            world.deliver()
    raise AssertionError("no shuffle was sent")


@pytest.mark.parametrize("first", ["check", "shuffle"])
def test_the_next_one_shuffles_ahead_and_sends_what_it_made(first: str, proven: Counter[bytes]) -> None:
    world = World(make_terms("osaka", 3), 3, "ahead")
    world.begin()
    until_a_shuffle_is_sent(world, by=0)
    while not ahead_of(world):
        world.deliver()
    assert ahead_of(world) == [1], "only who comes next"
    if first == "shuffle":
        world.works.reverse()
    world.work()
    assert not any(mix_of(talk) and talk.peer == 1 for _, _, talk in world.flying), "both must be done first"
    world.quiet()
    world.play_on(moves=2)
    world.quiet()
    assert len({node.session.ledger.tip for node in world.nodes}) == 1
    assert len(proven) >= 3 and set(proven.values()) == {1}, "every shuffle is made once"


@pytest.mark.parametrize(("field", "code"), [("s", "mix.proof"), ("o", "mix.point")])
def test_what_was_made_of_a_false_shuffle_is_never_sent(field: str, code: str) -> None:
    world = World(make_terms("osaka", 3, recovery="none"), 3, "false")
    world.begin()
    until_a_shuffle_is_sent(world, by=0)
    world.flying = [(source, target, spoiled(talk, field)) for source, target, talk in world.flying]
    while not ahead_of(world):
        world.deliver()
    world.quiet()
    for node in world.nodes[1:]:
        assert [effect.code for effect in node.told if isinstance(effect, Fault)] == [code]
        assert not any(mix_of(part) for part in node.journal)


def spoiled(talk: Any, field: str) -> Any:
    """A shuffle with a wrong beginning of this field, properly signed."""
    body = mix_of(talk)
    if body is None:
        return talk
    wrong = replace(body, **{field: (2).to_bytes(32, "little") + getattr(body, field)[32:]})
    raw = encode(replace(decode(DealerMessage, talk.raw), b=Raw(bodies.encode(wrong))))
    return Signed("dealer", talk.peer, raw, identity(talk.peer).sign("dealer", raw))
