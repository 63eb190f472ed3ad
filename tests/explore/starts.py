"""Named places in matches from which schedules are explored, each built the same way every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from kontor_games.engine.core.chance import Want
from kontor_games.net.sealed.tasks import MixPlan, SharePlan
from tests.worlds.world import make_terms

from .host import Host
from .world import World, begun

OPTIONS: dict[str, dict[str, int]] = {"hansa": {"max_rounds": 4}, "osaka": {"tokens_to_end": 6}, "joban": {}}
Condition = Callable[[World], bool]
Liars: TypeAlias = int | tuple[int, ...] | None  # one peer, several, nobody


def _step(world: World, rng: random.Random) -> None:
    steps = list(world.steps())
    urgent = [step for step in steps if step[0] != "play"]
    if steps:
        step = rng.choice(urgent or steps)
        world.do((*step, rng.randrange(1000)) if step[0] == "play" else step)
    else:
        for host in world.hosts:
            world.do(("tick", host.number, 0.5))


def _until(world: World, condition: Condition, rng: random.Random) -> None:
    for _ in range(20_000):
        if condition(world):
            return
        _step(world, rng)
    raise AssertionError("the start is never reached")


def _terms(game: str, peers: int) -> bytes:
    return make_terms(game, peers, rules=_rules, **OPTIONS[game])


def _world(game: str, peers: int, seed: str, condition: Condition) -> tuple[World, random.Random]:
    rng = random.Random(seed)
    world = begun(_terms(game, peers), peers)
    _until(world, condition, rng)
    return world, rng


def _deliver_to(world: World, targets: set[int], sources: set[int]) -> None:
    """Everything between these peers arrives, also what follows from it."""
    for _ in range(5000):
        links = [link for link, talks in sorted(world.wires.items()) if talks]
        link = next((link for link in links if link[0] in sources and link[1] in targets), None)
        if link is not None:
            world.do(("deliver", *link))
            continue
        busy = next((h for h in world.hosts if h.alive and h.works), None)
        if busy is None:
            return
        world.do(("work", busy.number))


def is_quiet(world: World) -> bool:
    """Nothing is under way and all stand at one tip."""
    if any(world.wires.values()) or any(host.works for host in world.hosts):
        return False
    is_drafted = any(host.session._wishes.draft for host in world.hosts)
    return len({host.ledger.tip for host in world.hosts}) == 1 and not is_drafted


def turn_of(number: int, ply: int = 4) -> Condition:
    """This peer is to act, all know it, and it has a choice: after a crash its player may choose differently."""

    def reached(world: World) -> bool:
        return is_quiet(world) and world.hosts[0].ledger.ply >= ply and len(world.hosts[number].choices()) > 1

    return reached


def wants(host: Host) -> Want | None:
    """What the open entry of the running game is for."""
    task = host.ledger.table.task
    return task.want if task is not None and host.ledger.state is not None else None


def deal_without(owing: int) -> Condition:
    """A deal of the running game is open, and this peer's part is not here yet."""

    def reached(world: World) -> bool:
        host = world.hosts[0]
        task, entry = host.ledger.table.task, host.ledger.entries.position.open
        if wants(host) is None or task is None or entry is None or not isinstance(task.plan, SharePlan):
            return False
        return entry.plans(owing) and entry.expects(owing)

    return reached


def _own_turn(game: str) -> World:
    return _world(game, 3, "own turn", turn_of(0))[0]


def _their_turn(game: str) -> World:
    return _world(game, 3, "their turn", turn_of(2))[0]


def _turn_of_five(game: str) -> World:
    return _world(game, 5, "five", turn_of(0))[0]


def _vote_of_five(game: str) -> World:
    """Of five, 0 and 2 have just declared 4 gone, who is only slow and to act."""
    world, _ = _world(game, 5, "vote of five", turn_of(4))
    for number in (0, 2):
        world.do(("vote", number, 4))
    return world


def _set_up(game: str) -> World:
    return begun(_terms(game, 3), 3)


def _deal(game: str) -> World:
    return _world(game, 3, "deal", deal_without(1))[0]


def _shuffle(game: str) -> World:
    def reached(world: World) -> bool:
        task = world.hosts[0].ledger.table.task
        return task is not None and isinstance(task.plan, MixPlan) and any(world.wires.values())

    return _world(game, 3, "shuffle", reached)[0]


def _shuffle_of_four(game: str) -> World:
    def reached(world: World) -> bool:
        task = world.hosts[0].ledger.table.task
        return task is not None and isinstance(task.plan, MixPlan) and len(task.got) == 1

    return _world(game, 4, "shuffle of four", reached)[0]


def _given(game: str) -> World:
    """1 and 2 have declared 0 gone, who is only slow; the shares of 2 are on their way to 1. It is 0's turn."""
    world, _ = _world(game, 3, "given", turn_of(0))
    world.do(("vote", 1, 0))
    world.do(("vote", 2, 0))
    world.do(("deliver", 1, 2))
    world.do(("deliver", 2, 1))
    return world


def _claimed(game: str) -> World:
    """A difference was just claimed: 2 has told 0 another digest."""
    world, _ = _world(game, 3, "claimed", turn_of(0))
    with_liars(world, 2)
    world.do(("trick", "where_wrong", 0))
    world.do(("deliver", 2, 0))
    return world


def _damaged_memory(game: str) -> World:
    """A bit has flipped in the memory of 1; the turn that shows it is under way."""
    world, _ = _world(game, 3, "memory", turn_of(0, ply=8))
    world.do(("damage", 1))
    world.do(("play", 0, 0))
    world.do(("deliver", 0, 1))
    return world


def _vanish(world: World, number: int) -> None:
    """This peer is gone for good, and all others have noticed."""
    world.gone |= {number}
    world.do(("crash", number))
    for step in world.unnoticed():
        world.do(step)


def _vanished(game: str) -> World:
    """Of four, 3 has vanished in an open deal; the people of 0 and 1 have just declared it gone."""
    world, _ = _world(game, 4, "vanished", deal_without(3))
    _vanish(world, 3)
    _deliver_to(world, {0, 1, 2}, {0, 1, 2})
    for number in range(2):
        world.do(("vote", number, 3))
    return world


def _re_escrow(game: str) -> World:
    """Of four, 3 was put out; the others share their keys anew."""
    world, rng = _world(game, 4, "escrow", turn_of(0))
    _vanish(world, 3)
    for number in range(3):
        world.do(("vote", number, 3))

    def reached(world: World) -> bool:
        return any(3 not in host.ledger.active for host in world.hosts[:3])

    _until(world, reached, rng)
    return world


def _end(game: str) -> World:
    """The last turn is played; keys are opened and the final signatures follow."""
    return _world(game, 3, "end", lambda world: any(host.ledger.is_over for host in world.hosts))[0]


def _damaged_journal(game: str) -> World:
    """0 has played; only 2 got the turn, and the last record of 0's journal was lost with a crash. All are linked."""
    world, _ = _world(game, 3, "tail", turn_of(0))
    with_liars(world, 2)
    world.do(("play", 0, 0))
    world.do(("deliver", 0, 2))
    world.do(("reboot", 0, "cut"))
    return world


def _damaged_vote(game: str) -> World:
    """1 has declared 0 gone; the record of that vote was lost with a crash. All are linked again."""
    world, _ = _world(game, 3, "vote", turn_of(0))
    world.do(("vote", 1, 0))
    _deliver_to(world, {2}, {1})
    world.do(("reboot", 1, "cut"))
    return world


def _goodbye(game: str) -> World:
    """1 has said goodbye while 0 is to act; the word is under way."""
    world, _ = _world(game, 3, "goodbye", turn_of(0))
    world.do(("bye", 1))
    return world


_MAKERS: dict[str, tuple[Callable[[str], World], str]] = {
    "set-up": (_set_up, "hansa"),
    "own turn": (_own_turn, "hansa"),
    "their turn": (_their_turn, "hansa"),
    "deal": (_deal, "osaka"),
    "shuffle": (_shuffle, "joban"),
    "shuffle of four": (_shuffle_of_four, "joban"),
    "turn of five": (_turn_of_five, "hansa"),
    "vote of five": (_vote_of_five, "hansa"),
    "one giv out": (_given, "hansa"),
    "stand-off": (_claimed, "hansa"),
    "damaged memory": (_damaged_memory, "osaka"),
    "vanished": (_vanished, "osaka"),
    "re-escrow": (_re_escrow, "hansa"),
    "end": (_end, "hansa"),
    "damaged journal": (_damaged_journal, "hansa"),
    "damaged vote": (_damaged_vote, "hansa"),
    "goodbye": (_goodbye, "hansa"),
}
STARTS = tuple(_MAKERS)


_made: dict[str, World] = {}
_rules: int | None = None  # the version that the starts are played by; None: the newest


@contextmanager
def under_rules(rules: int) -> Iterator[None]:
    """Build all starts under this version of the rules."""
    global _made, _rules
    kept = _made, _rules
    _made, _rules = {}, rules
    try:
        yield
    finally:
        _made, _rules = kept


def forget() -> None:
    """Sessions behave differently from now on: build those starts anew in which something went wrong."""
    for name in ("damaged journal", "damaged vote", "stand-off"):
        _made.pop(name, None)


def start(name: str, liars: Liars = None) -> World:
    """A world of one's own at this place; the adversary holds the keys of `liars`."""
    if name not in _made:
        make, game = _MAKERS[name]
        _made[name] = make(game)
    world = _made[name].alone()
    with_liars(world, liars)
    return world


def with_liars(world: World, liars: Liars) -> None:
    """The adversary holds the keys of these peers from now on."""
    for host in world.hosts:
        host.liars = frozenset(() if liars is None else (liars,) if isinstance(liars, int) else liars)
