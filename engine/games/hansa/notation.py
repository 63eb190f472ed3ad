"""How people write actions: three-letter cities, routes `ham-lub`, posts `ham-lub:2`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.notation import NONE, Kind, Notation, names

from . import actions as a
from .data import ABILITIES, BOARDS, COLOURS, MARKERS, PIECES, TILES
from .state import State

FORMS: dict[type[Action], str] = {
    a.Income: "hire {traders:number} {merchants:number}",
    a.Place: "place {post:post}",
    a.Displace: "displace {post:post}",
    a.Choose: "with {piece:piece}",
    a.Pay: "pay {piece:piece}",
    a.Settle: "settle {post:post}",
    a.Extra: "extra {piece:piece}",
    a.Lift: "lift {post:post}",
    a.Put: "put {post:post}",
    a.Claim: "claim {route:route}",
    a.Office: "office {city:city}",
    a.ExtraOffice: "add-office {city:city} {piece:piece}",
    a.Develop: "develop {ability:ability}",
    a.Prestige: "prestige {space:prestige}",
    a.GreenOffice: "green-office {city:city} {piece:piece}",
    a.NeutralOffice: "neutral {route:route} {city:city_or_none}",
    a.Collect: "collect {traders:number} {merchants:number}",
    a.UseMarker: "use {marker:marker}",
    a.Swap: "swap {city:city} {left:space}",
    a.Exchange: "exchange {opponent:colour} {marker:marker}",
    a.Lay: "lay {route:route}",
    a.BuyFavour: "favour {tile:tile}",
    a.GiveUp: "give {marker:marker}",
    a.PlaceMarker: "marker {marker:marker} {route:route}",
    a.Done: "done",
    a.EndTurn: "end",
}

_PLAIN = str.maketrans("äöüßéèó", "aouseeo")


def _plain(text: str) -> str:
    return text.casefold().translate(_PLAIN).replace("_", "").replace(" ", "").replace(".", "")


@cache
def _city_words(board: int) -> tuple[tuple[str, int], ...]:
    return tuple(
        (word, number)
        for number, city in enumerate(BOARDS[board].cities)
        for word in sorted({city.code, _plain(city.id), _plain(city.name)})
    )


def _read_city(state: State, text: str) -> int:
    word = _plain(text)
    words = _city_words(state.map)
    exact = {number for known, number in words if known == word}
    close = exact or {number for known, number in words if word and known.startswith(word)}
    if len(close) == 1:
        return min(close)
    if close:
        options = ", ".join(state.board.cities[number].code for number in sorted(close))
        raise ValueError(f"{text!r} may mean {options}")
    raise ValueError(f"there is no city {text!r} on this map")


def _say_city(state: State, city: int) -> str:
    cities = state.board.cities
    return cities[city].code if 0 <= city < len(cities) else f"?{city}"


def _say_city_or_none(state: State, city: int | None) -> str:
    return NONE if city is None else _say_city(state, city)


def _read_city_or_none(state: State, text: str) -> int | None:
    return None if text == NONE else _read_city(state, text)


def _ends(state: State, text: str) -> tuple[int, int]:
    """The route between two named cities, and 1 if they were named the other way round."""
    first, dash, second = text.partition("-")
    if not dash:
        raise ValueError(f"a route is written like {state.board.routes[0].code}, not {text!r}")
    a_end, b_end = _read_city(state, first), _read_city(state, second)
    for number, route in enumerate(state.board.routes):
        if {route.a, route.b} == {a_end, b_end}:
            return number, int(route.a != a_end)
    raise ValueError(f"no route joins {_say_city(state, a_end)} and {_say_city(state, b_end)}")


def _say_route(state: State, route: int) -> str:
    routes = state.board.routes
    return routes[route].code if 0 <= route < len(routes) else f"?{route}"


def _read_route(state: State, text: str) -> int:
    return _ends(state, text)[0]


def say_post(state: State, post: int) -> str:
    """A post: its route, and its number counted from the city named first."""
    board = state.board
    if not 0 <= post < len(board.post_route):
        return f"?{post}"
    route = board.routes[board.post_route[post]]
    return f"{route.code}:{post - route.first + 1}"


def _read_post(state: State, text: str) -> int:
    name, _, number = text.partition(":")
    index, turned = _ends(state, name)
    route = state.board.routes[index]
    count = route.end - route.first
    if not number.isascii() or not number.isdigit() or not 1 <= int(number[:3]) <= count:
        raise ValueError(f"{route.code} has posts 1 to {count}: write {route.code}:1")
    return route.end - int(number) if turned else route.first + int(number) - 1


def _short(*words: str) -> Kind[State]:
    """Words that may be cut short as long as they stay unique."""
    plain = names(*words)

    def read(state: State, text: str) -> int:
        word = text.casefold().replace("-", "_")
        close = [number for number, known in enumerate(words) if known.startswith(word)]
        if word in words:
            return words.index(word)
        if len(close) == 1:
            return close[0]
        raise ValueError(f"{text!r} is none of {', '.join(words)}")

    return Kind(plain.say, read)


def _say_prestige(state: State, space: int) -> str:
    spots = state.board.spots
    return str(spots[space].value) if 0 <= space < len(spots) else f"?{space}"


def _read_prestige(state: State, text: str) -> int:
    values = [str(spot.value) for spot in state.board.spots]
    if text in values:
        return values.index(text)
    raise ValueError(f"special prestige is worth {', '.join(values)}, not {text!r}")


def _read_space(state: State, text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:3]) <= 99:
        raise ValueError(f"{text!r} is not a number of an office, counted from 1")
    return int(text[:3]) - 1


_say_space: Callable[[State, int], str] = lambda state, left: str(left + 1)  # noqa: E731 — a table entry

NOTATION: Notation[State] = Notation(
    FORMS,
    {
        "post": Kind(say_post, _read_post),
        "route": Kind(_say_route, _read_route),
        "city": Kind(_say_city, _read_city),
        "city_or_none": Kind(_say_city_or_none, _read_city_or_none),
        "piece": _short(*PIECES),
        "ability": _short(*ABILITIES),
        "marker": _short(*MARKERS),
        "tile": _short(*TILES),
        "colour": _short(*COLOURS),
        "prestige": Kind(_say_prestige, _read_prestige),
        "space": Kind(_say_space, _read_space),
    },
)
