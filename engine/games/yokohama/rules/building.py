"""B4–B6: the 5-power token, buildings, recovery."""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games.engine.core.action import Action
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.actions import BuildHouse, BuildShop, Done, Recover, TakeToken
from kontor_games.engine.games.yokohama.state import BUILD, BUILDINGS, FIVE, NONE, PHASE_C, RECOVER, TOKENS, State, Task
from kontor_games.engine.games.yokohama.tables import ASSISTANT, HOUSE, SHOP, Tables

from . import reasons
from .draft import Draft, with_entry
from .queries import owns, why_not_any_shop, why_not_house


def has_token(t: Tables, s: State) -> bool:
    """B4: the action was done at power 5 and the token is still there."""
    return s.power >= int(t.rules["five_power_min_power"]) and s.fives[s.area] != NONE


def take_token(d: Draft, a: TakeToken) -> None:
    s = d.s
    token = s.fives[s.area]
    d.update(s.active, fives=(*d.me.fives, token))
    d.set(fives=with_entry(s.fives, s.area, NONE), stage=BUILD)
    d.say(e.TokenTaken(s.active, token, d.board(s.area)))
    d.reward(s.active, d.t.tokens[token].reward, TOKENS)


def may_build(t: Tables, s: State) -> bool:
    """B5: power 4 or more, and a shop or the trading house can be built."""
    if s.power < int(t.rules["build_min_power"]):
        return False
    return why_not_any_shop(s) is None or why_not_house(s) is None


def why_not_shop(t: Tables, s: State, a: BuildShop) -> str | None:
    reason = why_not_any_shop(s)
    if reason:
        return reason
    if a.space >= len(s.shops[s.area]):
        return reasons.NO_SPACE
    return reasons.SPACE_TAKEN if s.shops[s.area][a.space] != NONE else None


def build_shop(d: Draft, a: BuildShop) -> None:
    s = d.s
    d.hand(s.active, SHOP, -1)
    d.set(shops=with_entry(s.shops, s.area, with_entry(s.shops[s.area], a.space, s.active)), stage=RECOVER)
    d.say(e.ShopBuilt(s.active, d.board(s.area), a.space))
    d.reward(s.active, d.t.tiles[s.tiles[s.area]].shops[a.space], BUILDINGS)
    d.later(Task("built", SHOP))


def build_house(d: Draft, a: BuildHouse) -> None:
    s = d.s
    d.hand(s.active, HOUSE, -1)
    d.set(houses=with_entry(s.houses, s.area, s.active), stage=RECOVER)
    d.say(e.HouseBuilt(s.active, d.board(s.area)))
    d.reward(s.active, d.t.tiles[s.tiles[s.area]].house, BUILDINGS)
    d.later(Task("built", HOUSE))


def asks_recovery(t: Tables, s: State) -> bool:
    """B6: a choice only with Telephone and an assistant to leave."""
    return s.me.placed[s.area] > 0 and owns(t, s.me, "telephone")


def why_not_recover(t: Tables, s: State, a: Recover) -> str | None:
    most = t.param("telephone", "leave") if owns(t, s.me, "telephone") else 0
    if a.leave > most:
        return reasons.leave_at_most(most)
    return None if a.leave <= s.me.placed[s.area] else reasons.NOT_SO_MANY


def recover(d: Draft, leave: int) -> None:
    """The assistants of the action area come back; an agent's action returns to its phase."""
    s = d.s
    count = d.me.placed[s.area] - leave
    if count:
        d.put(s.active, s.area, -count)
        d.hand(s.active, ASSISTANT, count)
        d.say(e.AssistantsReturned(s.active, d.board(s.area), count))
    d.set(stage=s.back if s.agent else PHASE_C, agent=0, back="", area=NONE, power=0)


def candidates(t: Tables, s: State) -> Iterator[Action]:
    seat = s.active
    if s.stage == FIVE:
        yield TakeToken(seat)
        yield Done(seat)
    elif s.stage == BUILD:
        for space, owner in enumerate(s.shops[s.area]):
            if owner == NONE:
                yield BuildShop(seat, space)
        yield BuildHouse(seat)
        yield Done(seat)
    else:
        for leave in range(t.param("telephone", "leave") + 1):
            yield Recover(seat, leave)
