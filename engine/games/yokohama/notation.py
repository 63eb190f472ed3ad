"""Short text forms of all actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.notation import Kind, Notation, names

from . import actions as a
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
        raise ValueError(f"{text!r} is not a number from 1 on")
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
        raise ValueError(f"{text!r} is not an area here; there are {known}")

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
        raise ValueError(f"{text!r} is not {what}: {', '.join(words(state))}")

    return Kind(say, read)


def _order(t: Tables) -> Kind[State]:
    def say(state: State, face: int) -> str:
        order = t.order(face)
        return order.id if order else f"?{face}"

    def read(state: State, text: str) -> int:
        for index, order in enumerate(t.orders):
            if _plain(order.id) == _plain(text):
                return t.first_order + index
        raise ValueError(f"{text!r} is not an order such as {t.orders[0].id}")

    return Kind(say, read)


def _read_slot(state: State, text: str) -> int:
    digits = text.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise ValueError(f"{text!r} is not a card such as #7")
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
                lambda s: [t.achievements[i].id.removeprefix("ach_") for i in s.achievements], "an achievement"
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
                lambda s: [token.id.removeprefix("reward_") for token in t.reward_tokens], "a reward token"
            ),
        },
    )
