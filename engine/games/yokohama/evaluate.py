"""How good a position looks to a seat, for bots that look one step ahead, and the stand-in.

One point is worth 100. Points and stock count first; then what the pieces on the map promise for the
next action, so that placing and walking pay off before the action itself does.
"""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.game import public_knowledge
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama.rules.queries import flags, houses_built, progress, shops_built

from . import prospects, rules
from .prospects import BUILT_WORTH, HOUSE_WORTH, PACE, POINT, SHOP_WORTH, Outlook, Pace
from .scoring import board_prizes, country_points, result, technology_prizes
from .state import ACT, BUILD, FIVE, MOVE, NEUTRAL, NONE, OVER, PHASE_A, PHASE_C, PLACE, State
from .tables import ASSISTANT, HOUSE, SHOP, Tables

_PENDING = {"good": 60, "hire": 70, "move": 40, "station": 200, "reward": 300}


def evaluate(t: Tables, s: State, seat: int, known: Known, pace: Pace = PACE) -> int:
    """The worth of the position to `seat`, knowing also its own hidden cards."""
    if s.stage == OVER:
        final = result(t, s)
        assert final is not None
        return POINT * final.scores[seat] + (100 * POINT if seat in final.winners else 0)
    look = Outlook(t, s, seat, known, pace)
    worth = POINT * look.me.score + _stock(look) + _cards(look) + _ambitions(look)
    if look.turns_left:
        worth += prospects.next_turn(look)
    if not s.ending:
        worth -= prospects.rush(look)
    if s.active == seat:
        worth += _this_turn(look)
    return worth


def _stock(look: Outlook) -> int:
    """Money, goods, imports, pieces and agents."""
    me, later = look.me, look.turns_left
    if not later:
        scoring = look.t.scoring
        return POINT * (
            me.unused * scoring.agent
            + me.imports * scoring.imports
            + me.yen // scoring.yen_per_point
            + sum(me.goods) // scoring.goods_per_point
        )
    worth = sum(prospects.amount(price, have) for price, have in zip(look.prices, me.goods, strict=True))
    worth += prospects.amount(60, me.yen) + look.import_worth * min(me.imports, 4) + 110 * max(0, me.imports - 4)
    worth += (POINT + 25 * min(later, 6)) * me.unused
    free, hurry = me.hand[ASSISTANT], min(later, 6)
    worth += hurry * (15 * min(free, 4) + 4 * max(0, free - 4) + 5 * sum(me.placed))
    built = shops_built(look.s, look.seat) + houses_built(look.s, look.seat)
    ready = SHOP_WORTH * min(me.hand[SHOP], 4) + HOUSE_WORTH * min(me.hand[HOUSE], 2)
    return worth + min(later, 5) * (ready + BUILT_WORTH * built)


def _cards(look: Outlook) -> int:
    """Technologies and orders in hand."""
    worth = sum(look.technology(face) for face in look.me.techs)
    worth += look.orders_worth
    hidden = len(look.me.hidden) - look.known_hidden
    return worth + 100 * hidden


def _ambitions(look: Outlook) -> int:
    """End scoring as it stands, flag pairs begun, achievements begun."""
    t, s, seat = look.t, look.s, look.seat
    share = 60 if look.turns_left else 100
    count = flags(t, look.me)
    worth = (85 if look.turns_left else 100) * country_points(t, count)
    worth += share * board_prizes(s, s.church, t.scoring.church)[seat]
    worth += share * board_prizes(s, s.customs, t.scoring.customs)[seat]
    worth += share * technology_prizes(t, s)[seat]
    if not look.turns_left and not (s.active == seat and s.stage == PHASE_C):
        return worth
    worth += 50 * sum(1 for have, left in zip(count, s.supply, strict=True) if have % 2 and left)
    for claimants, index in zip(s.claims, s.achievements, strict=True):
        if seat not in claimants:
            tile = t.achievements[index]
            have, need = progress(t, s, seat, tile)
            done = min(have, need)
            worth += (tile.later if claimants else tile.first) * 80 * done * done // (need * need)
    return worth


def _this_turn(look: Outlook) -> int:
    """What the turn still promises to the active player."""
    t, s = look.t, look.s
    worth = sum(_PENDING.get(task.what, 0) * max(1, task.a) for task in s.queue)
    if s.lifted != NEUTRAL:
        worth += 20
    if s.stage in (PHASE_A, PLACE, MOVE):
        return worth + prospects.this_turn(look)
    if s.stage == ACT:
        worth += prospects.in_action(look)
    if s.stage in (ACT, FIVE) and s.power >= int(t.rules["five_power_min_power"]) and s.fives[s.area] != NONE:
        worth += look.reward(t.tokens[s.fives[s.area]].reward) * 95 // 100
    if s.stage in (ACT, FIVE, BUILD) and s.power >= int(t.rules["build_min_power"]):
        worth += look.building(s.area) * 95 // 100
    return worth


def stand_in(t: Tables, s: State) -> Action:
    """The best-looking action by public knowledge; the first of equals."""
    known = public_knowledge(s)
    best: Action | None = None
    top = 0
    for action in rules.candidates(t, s, known):
        worth = evaluate(t, rules.apply(t, s, action)[0], s.active, known)
        if best is None or worth > top:
            best, top = action, worth
    assert best is not None
    return best
