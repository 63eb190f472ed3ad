"""Short text forms of all actions, and the board element that a click on means each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.notation import Kind, Notation, names

from . import actions as a
from .rules import cards
from .state import NONE, State
from .tables import ITEMS, Tables

FORMS: dict[type[Action], str] = {
    a.KeepOrder: "keep {which:count}",
    a.UseAgent: "agent {area:area}",
    a.Claim: "claim {tile:tile}",
    a.Fulfil: "fulfil {card:order}",
    a.OpenOrder: "open {slot:slot} {card:order}",
    a.SpinningMill: "mill",
    a.University: "university",
    a.EndPhase: "end",
    a.Place: "place {area:area}",
    a.Deploy: "deploy {area:area}",
    a.Walk: "walk {area:area}",
    a.Tram: "tram {area:area}",
    a.ToStation: "station",
    a.Recall: "recall",
    a.TakeBack: "back {area:area}",
    a.TakeAll: "back all",
    a.Exchange: "exchange {trade:trade}",
    a.Donate: "donate {what:donation}",
    a.Worship: "worship {space:count} {source:source}",
    a.Clear: "clear {space:count} {source:source}",
    a.Hire: "hire {item:item}",
    a.Research: "research {slot:count}",
    a.TakeOrder: "take {slot:count}",
    a.Pay: "pay {means:means}",
    a.TakeToken: "token",
    a.BuildShop: "shop {space:count}",
    a.BuildHouse: "house",
    a.Recover: "recover {leave:number}",
    a.ChooseGood: "good {good:good}",
    a.Lift: "lift {source:place}",
    a.Drop: "drop {area:area}",
    a.PlaceStation: "put station {area:area}",
    a.ChooseReward: "reward {token:reward}",
    a.Done: "done",
}


def _plain(text: str) -> str:
    """Forgive capitals and separators: «Silk-Mill 1», «silkmill1» and «silk_mill_1» are one name."""
    return "".join(c for c in text.casefold() if c.isalnum())


def _read_count(state: State, text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 5 and int(text)):
        raise ValueError(f"{text!r} is no number from 1 on")
    return int(text) - 1


_COUNT: Kind[State] = Kind(lambda state, value: str(value + 1), _read_count)


def _area(t: Tables, hand: bool) -> Kind[State]:
    """An area by its board's name or its cell; with `hand` also the hand."""

    def say(state: State, cell: int) -> str:
        if hand and cell == NONE:
            return "hand"
        return t.boards[state.cells[cell]].id if 0 <= cell < len(state.cells) else f"?{cell}"

    def read(state: State, text: str) -> int:
        wanted = _plain(text)
        if hand and wanted == "hand":
            return NONE
        for cell, board in enumerate(state.cells):
            if wanted in (_plain(t.boards[board].id), t.counts[state.seats].layout.cells[cell]):
                return cell
        known = ", ".join(t.boards[board].id for board in state.cells)
        raise ValueError(f"{text!r} is no area here; there are {known}")

    return Kind(say, read)


def _listed(words: Callable[[State], Sequence[str]], what: str) -> Kind[State]:
    """One word of a list that may depend on the state."""

    def say(state: State, value: int) -> str:
        every = words(state)
        return every[value] if 0 <= value < len(every) else f"?{value}"

    def read(state: State, text: str) -> int:
        plain = [_plain(word) for word in words(state)]
        if _plain(text) in plain:
            return plain.index(_plain(text))
        raise ValueError(f"{text!r} is no {what}: {', '.join(words(state))}")

    return Kind(say, read)


def _order(t: Tables) -> Kind[State]:
    def say(state: State, face: int) -> str:
        order = t.order(face)
        return order.id if order else f"?{face}"

    def read(state: State, text: str) -> int:
        for index, order in enumerate(t.orders):
            if _plain(order.id) == _plain(text):
                return t.first_order + index
        raise ValueError(f"{text!r} is no order such as {t.orders[0].id}")

    return Kind(say, read)


def _read_slot(state: State, text: str) -> int:
    digits = text.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise ValueError(f"{text!r} is no card such as #7")
    return int(digits)


def notation(t: Tables) -> Notation[State]:
    """The notation over these tables."""
    return Notation(
        FORMS,
        {
            "count": _COUNT,
            "area": _area(t, hand=False),
            "place": _area(t, hand=True),
            "tile": _listed(
                lambda s: [t.achievements[i].id.removeprefix("ach_") for i in s.achievements], "achievement"
            ),
            "order": _order(t),
            "slot": Kind(lambda state, slot: f"#{slot}", _read_slot),
            "trade": names(*(trade.id for trade in t.trades)),
            "donation": names(*(donation.id for donation in t.donations)),
            "source": names("area", "hand"),
            "item": names(*ITEMS),
            "means": names("yen", "import"),
            "good": names(*t.goods),
            "reward": _listed(
                lambda s: [token.id.removeprefix("reward_") for token in t.reward_tokens], "reward token"
            ),
        },
    )


def target(t: Tables, s: State, action: Action) -> str:
    """The board element that stands for an action."""
    match action:
        case a.UseAgent() | a.Place() | a.Deploy() | a.Walk() | a.Tram() | a.TakeBack() | a.Drop() | a.PlaceStation():
            return f"area:{action.area}"
        case a.Lift(source=source):
            return f"area:{source}" if source != NONE else f"hand:{s.active}"
        case a.ToStation():
            return f"area:{s.station}"
        case a.Claim(tile=tile):
            return f"achievement:{tile}"
        case a.Fulfil(card=card):
            return f"order:{card}"
        case a.OpenOrder(slot=slot):
            return f"hidden:{slot}"
        case a.KeepOrder(which=which):
            hidden = s.me.hidden
            return f"hidden:{hidden[which]}" if which < len(hidden) else "hidden"
        case a.Worship(space=space):
            return f"church:{space}"
        case a.Clear(space=space):
            return f"customs:{space}"
        case a.Research(slot=slot):
            return f"lab:{cards.laboratory(t, s) if s.area != NONE else 0}:{slot}"
        case a.TakeOrder(slot=slot):
            return f"port:{cards.port(t, s) if s.area != NONE else 0}:{slot}"
        case a.BuildShop(space=space):
            return f"shop:{s.area}:{space}"
        case a.BuildHouse():
            return f"house:{s.area}"
        case a.TakeToken():
            return f"five:{s.area}"
        case a.Exchange(trade=trade):
            return f"trade:{trade}"
        case a.Donate(what=what):
            return f"donation:{what}"
        case a.Hire(item=item):
            return f"warehouse:{s.active}:{item}"
        case a.Pay(means=means):
            return f"pay:{means}"
        case a.ChooseGood(good=good):
            return f"good:{good}"
        case a.ChooseReward(token=token):
            return f"reward:{token}"
        case a.Recall() | a.TakeAll():
            return f"president:{s.active}"
        case a.Recover(leave=leave):
            return f"recover:{leave}"
        case a.SpinningMill():
            return "technology:spinning_mill"
        case a.University():
            return "technology:university"
        case a.EndPhase():
            return "end"
        case _:
            return "done"
