"""What follows by itself: queued tasks, cards that chance brings, stages without a decision."""

from __future__ import annotations

from kontor_games.engine.core.chance import Chance, Dealt
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.state import (
    ACT,
    BUILD,
    BUILDINGS,
    CHURCH,
    CUSTOMS,
    FIVE,
    KEEP,
    NONE,
    ORDERS,
    RECOVER,
    TECHNOLOGIES,
    Task,
)
from kontor_games.engine.games.yokohama.tables import HOUSE, SHOP

from . import areas, building, cards, legality
from .draft import Draft, with_entry
from .pending import DECISIONS, is_asked, pop
from .queries import flags, in_progress, owns, why_not_mill, why_not_university


def settle(d: Draft) -> None:
    """Go on until chance or the active player is asked, or the match is over."""
    while d.s.desk.want is None:
        if d.s.queue:
            task = d.s.queue[0]
            if task.what not in DECISIONS:
                _run(d, task)
            elif is_asked(d.t, d.s, task):
                return
            else:
                pop(d)
        elif not _next_stage(d):
            return


def _next_stage(d: Draft) -> bool:
    """Leave a stage that asks nothing; False if it asks."""
    t, s = d.t, d.s
    if s.stage == ACT:
        if in_progress(s) or _can_act(d):
            return False
        d.say(e.ActionSkipped(s.active, d.board(s.area)))
        d.set(stage=FIVE)
    elif s.stage == FIVE:
        if building.has_token(t, s):
            return False
        d.set(stage=BUILD)
    elif s.stage == BUILD:
        if building.may_build(t, s):
            return False
        d.set(stage=RECOVER)
    elif s.stage == RECOVER:
        if building.asks_recovery(t, s):
            return False
        building.recover(d, 0)
    else:
        return False
    return True


def _can_act(d: Draft) -> bool:
    """Whether the area action offers anything but declining it."""
    t, s = d.t, d.s
    if why_not_mill(t, s) is None or why_not_university(t, s) is None:
        return True  # either may make something affordable
    offers = (*areas.candidates(t, s), *cards.candidates(t, s))
    return any(legality.why_not(t, s, action) is None for action in offers)


def _run(d: Draft, task: Task) -> None:
    """An automatic task: effects happen at once, boards and decks ask chance and wait at the head."""
    t, seat = d.t, d.s.active
    match task.what:
        case "mix_technologies":
            desk, slots = d.s.desk.mix(t.technology_deck)
            d.set(desk=desk, tech_deck=(slots[0], slots[-1] + 1))
            return
        case "mix_orders":
            desk, slots = d.s.desk.mix(t.order_deck)
            removed = t.counts[d.s.seats].orders_removed  # from the top, unseen
            d.set(desk=desk, order_deck=(slots[0] + removed, slots[-1] + 1))
            return
        case "deal":
            _deal_starting_orders(d)
            return
        case "lab" | "port":
            if _refill(d, task):
                return
        case "order":
            d.score(seat, t.param("ball", "points") * owns(t, d.me, "ball"), ORDERS)
            d.gain_yen(seat, t.param("language_school", "yen") * owns(t, d.me, "language_school"))
        case "settled":
            kind = {CHURCH: "winery", CUSTOMS: "brickworks"}[task.a]
            d.score(seat, t.param(kind, "points") * owns(t, d.me, kind), task.a)
        case "built":
            kind = {SHOP: "gas_lighting", HOUSE: "electric_lighting"}[task.a]
            d.score(seat, t.param(kind, "points") * owns(t, d.me, kind), BUILDINGS)
        case "gained":
            if t.technologies[task.a].kind == "exhibition":
                d.score(seat, t.param("exhibition", "points"), TECHNOLOGIES)
            if t.technologies[task.a].kind == "station":
                d.set(queue=(Task("station"), *d.s.queue[1:]))
                return
        case "patents":
            before = {t.technologies[face].kind for face in d.me.techs[:-1]}
            d.score(seat, t.param("patent_system", "points") * ("patent_system" in before), TECHNOLOGIES)
            d.gain_yen(seat, t.param("letterpress", "yen") * ("letterpress" in before))
        case "pair":
            _pair(d, task.a)
    pop(d)


def _pair(d: Draft, country: int) -> None:
    """10.4 and R20: the second, fourth, … symbol brings an agent if one is left."""
    if flags(d.t, d.me)[country] % 2 == 0 and d.s.supply[country]:
        d.set(supply=with_entry(d.s.supply, country, d.s.supply[country] - 1))
        d.add_agent(d.s.active, country)


def _deal_starting_orders(d: Draft) -> None:
    s = d.s
    first, end = s.order_deck
    drawn = d.t.start.orders_drawn
    cards_out: list[tuple[int, int]] = []
    for turn in range(s.seats):
        seat = (s.start + turn) % s.seats
        slots = tuple(range(first, first + drawn))
        first += drawn
        d.update(seat, hidden=slots)
        cards_out += [(slot, seat) for slot in slots]
    d.set(order_deck=(first, end), desk=s.desk.deal(cards_out))


def _refill(d: Draft, task: Task) -> bool:
    """Slide a board left and ask for cards; False if there is nothing to wait for."""
    is_lab = task.what == "lab"
    boards = d.s.labs if is_lab else d.s.ports
    first, end = d.s.tech_deck if is_lab else d.s.order_deck
    kept = tuple(face for face in boards[task.a] if face != NONE)
    missing = len(boards[task.a]) - len(kept)
    count = min(missing, end - first)
    slid = with_entry(boards, task.a, (*kept, *(NONE,) * missing))
    if is_lab:
        d.set(labs=slid, tech_deck=(first + count, end))
    else:
        d.set(ports=slid, order_deck=(first + count, end))
        if count < missing and not d.s.short:
            d.set(short=1)
            d.say(e.PortShort(_port_board(d, task.a)))
    if count:
        d.set(desk=d.s.desk.deal((slot, None) for slot in range(first, first + count)))
    return count > 0


def _port_board(d: Draft, port: int) -> int:
    return next(i for i, board in enumerate(d.t.boards) if board.kind.management == d.t.ports[port].id)


def _lab_board(d: Draft, lab: int) -> int:
    return next(i for i, board in enumerate(d.t.boards) if board.kind.management == d.t.labs[lab].id)


def answered(d: Draft, answer: Chance) -> None:
    """Chance has served the task at the head of the queue."""
    task = d.s.queue[0]
    if isinstance(answer, Dealt) and task.what in ("lab", "port"):
        faces = tuple(face for _, _, face in answer.cards if face is not None)
        boards = d.s.labs if task.what == "lab" else d.s.ports
        kept = tuple(face for face in boards[task.a] if face != NONE)
        filled = (*kept, *faces)
        filled = (*filled, *(NONE,) * (len(boards[task.a]) - len(filled)))
        if task.what == "lab":
            d.set(labs=with_entry(boards, task.a, filled))
            d.say(e.TechnologiesTurned(_lab_board(d, task.a), faces))
        else:
            d.set(ports=with_entry(boards, task.a, filled))
            d.say(e.OrdersTurned(_port_board(d, task.a), faces))
    elif task.what == "deal":
        d.set(stage=KEEP, active=d.s.start)
    pop(d)
    settle(d)
