"""The first state: public components from the joint entropy, decks still to be sealed (rules 4)."""

from __future__ import annotations

from functools import partial

from kontor_games.engine.core.chance import Desk
from kontor_games.engine.core.game import OptionValue
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.yokohama.rules.draft import Draft
from kontor_games.engine.games.yokohama.rules.flow import settle

from .state import NEUTRAL, NONE, Player, State, Switches, Task
from .tables import Count, Tables


def setup(t: Tables, options: dict[str, OptionValue], seats: int, entropy: bytes) -> State:
    """Steps 1–5 and 9 by a stream; 6–8 are queued for chance."""
    stream = Stream(entropy)
    count = t.counts[seats]
    start = int(options["start"])
    if start < 0:
        start = stream.below(seats)  # R32
    cells = tuple(count.boards[i] for i in stream.permutation(len(count.boards)))
    kinds = [t.boards[board].kind for board in cells]
    tiles = _dealt(stream.permutation(len(t.tiles)), [kind.building for kind in kinds])
    tokens = len(t.tokens) if options["mini_2"] else t.base_tokens
    fives = _dealt(stream.permutation(tokens), [kind.five_power for kind in kinds])
    achievements = []
    for letter in sorted({tile.set for tile in t.achievements}):
        among = [i for i, tile in enumerate(t.achievements) if tile.set == letter]
        achievements.append(among[stream.below(len(among))])
    rewards: tuple[int, ...] = ()
    if options["mini_1"]:
        rewards = tuple(sorted(stream.permutation(len(t.reward_tokens))[: t.reward_tokens_drawn]))
    blocked = NEUTRAL if count.neutral else NONE
    state = State(
        desk=Desk(),
        switches=_switches(options),
        seats=seats,
        start=start,
        cells=cells,
        tiles=tiles,
        fives=fives,
        shops=tuple((NONE,) * len(t.tiles[tile].shops) if tile != NONE else () for tile in tiles),
        houses=(NONE,) * len(cells),
        church=tuple(blocked if space.blocked else NONE for space in t.church),
        customs=tuple(blocked if space.blocked else NONE for space in t.customs),
        labs=tuple((NONE,) * len(lab.surcharge) if lab.id in count.laboratories else () for lab in t.labs),
        ports=tuple((NONE,) * len(port.level) if port.id in count.ports else () for port in t.ports),
        supply=t.agents,
        achievements=tuple(achievements),
        claims=((),) * len(achievements),
        rewards=rewards,
        players=tuple(map(partial(_player, t, start, len(cells)), range(seats))),
        queue=_tasks(t, count),
    )
    draft = Draft(t, state)
    settle(draft)
    return draft.s


def _dealt(order: list[int], takes: list[bool]) -> tuple[int, ...]:
    """One component for each cell that takes one, in cell order."""
    supply = iter(order)
    return tuple(next(supply) if taken else NONE for taken in takes)


def _player(t: Tables, start: int, cells: int, seat: int) -> Player:
    return Player(
        yen=t.start.yen_first if seat == start else t.start.yen_others,
        goods=t.start.goods,
        imports=t.start.imports,
        hand=t.start.hand,
        warehouse=t.start.warehouse,
        placed=(0,) * cells,
    )


def _tasks(t: Tables, count: Count) -> tuple[Task, ...]:
    labs = (Task("lab", i) for i, lab in enumerate(t.labs) if lab.id in count.laboratories)
    ports = (Task("port", i) for i, port in enumerate(t.ports) if port.id in count.ports)
    return (Task("mix_technologies"), *labs, Task("mix_orders"), *ports, Task("deal"))


def _switches(options: dict[str, OptionValue]) -> Switches:
    return Switches(**{name: int(options[name]) for name in Switches.__struct_fields__})
