"""The printed facts of Hansa Teutonica as typed tables: markers, tracks, tiles, cards and the five map sides."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from kontor_games.engine.core.data import load_data

DATA, DIGEST = load_data("hansa")
Posts = tuple[int, ...]  # flat indexes, ascending

TRADER, MERCHANT = 0, 1
PIECES = ("trader", "merchant")
NEUTRAL = 5  # owner number of the third party in matches of two
NEUTRAL_TRADER = 1 + 2 * NEUTRAL
MAX_SEATS = 5

COLOURS: tuple[str, ...] = tuple(entry["id"] for entry in DATA["player_colour"])

ABILITIES: tuple[str, ...] = tuple(entry["id"] for entry in DATA["ability"])
KEYS, ACTIONS, PRIVILEGE, BOOK, BANK = range(5)
STEPS: tuple[int, ...] = tuple(entry["covered"] for entry in DATA["ability"])
RELEASES: tuple[int, ...] = tuple(PIECES.index(entry["piece"]) for entry in DATA["ability"])
PRIVILEGES: tuple[str, ...] = tuple(entry["id"] for entry in DATA["privilege_colour"])
ALL = 99  # «all» on the bank: more than any stock holds
_WORTH = {"all": ALL, **{colour: rank for rank, colour in enumerate(PRIVILEGES)}}
VALUES: tuple[tuple[int, ...], ...] = tuple(
    tuple(_WORTH.get(value, value) for value in entry["values"]) for entry in DATA["ability"]
)

MARKERS: tuple[str, ...] = tuple(entry["id"] for entry in DATA["marker"])
(
    EXTRA_OFFICE,
    SWAP_OFFICES,
    MOVE_3,
    DEVELOP_ABILITY,
    PLUS_3,
    PLUS_4,
    EXCHANGE_MARKER,
    OFFICE_TRIBUTE,
    ROUTE_BLOCK,
) = range(9)
GOLD: tuple[int, ...] = tuple(entry["gold"] for entry in DATA["marker"])
SILVER: tuple[int, ...] = tuple(entry["silver"] for entry in DATA["marker"])
MOST_SILVER: tuple[int, ...] = tuple(entry["silver"] + entry["promo"] for entry in DATA["marker"])
SILVER_IN_PLAY: int = DATA["markers"]["silver_in_play"]
MARKERS_IN_PLAY: int = DATA["markers"]["in_play"]

PERMANENTS: tuple[str, ...] = tuple(entry["id"] for entry in DATA["permanent_marker"])
MOVE_ANY_2, DEVELOP_PRIVILEGE, GREEN_OFFICE, REUSE_2, PLACE_2 = range(5)

TILES: tuple[str, ...] = tuple(entry["id"] for entry in DATA["favour_tile"])
FREE_RELOCATION, EXTRA_ACTION, SHARED_INCOME, DOUBLE_RETURN, CITY_PATRON, MASTER_OF_ARTS = range(6)

MISSIONS: tuple[tuple[str, ...], ...] = tuple((*card["shared"], card["single"]) for card in DATA["mission_card"])
FIRST_MISSION = len(MARKERS)  # markers and mission cards share one numbering of faces
FACES: tuple[str, ...] = (*MARKERS, *(card["id"] for card in DATA["mission_card"]))

SCORING = DATA["scoring"]
END_POINTS: int = SCORING["end_trigger_points"]
MARKER_POINTS: tuple[int, ...] = tuple(SCORING["marker_points"])
TRADERS: int = DATA["pieces"]["traders_per_player"]
MERCHANTS: int = DATA["pieces"]["merchants_per_player"]

# City codes are the first three letters of the id, but for those that would collide on one map.
_CODES = {"brandenburg": "brd", "braunsberg": "brs", "cardiff": "cdf", "carlisle": "crl", "isle_of_man": "iom"}


@dataclass(frozen=True)
class Space:
    """A printed office space."""

    colour: int
    shape: int
    coin: int


@dataclass(frozen=True)
class City:
    id: str
    name: str
    code: str
    x: int
    y: int
    spaces: tuple[Space, ...]
    abilities: tuple[int, ...]
    regions: tuple[int, ...]
    permits: tuple[int, ...]  # regions in which the best office here permits one action
    green: int
    special: int  # 1: the special prestige spaces are reached from here
    routes: tuple[int, ...]


@dataclass(frozen=True)
class Route:
    id: str
    code: str
    a: int
    b: int
    first: int  # flat index of post 0
    end: int
    ship: tuple[int, ...]  # per post: 1 takes a merchant only
    xy: tuple[tuple[int, int], ...]
    region: int
    sea: int
    tavern: int
    permanent: int | None
    accepts: int  # a replacement marker may be laid here
    marker_xy: tuple[int, int]


@dataclass(frozen=True)
class Spot:
    """A special prestige space."""

    value: int
    privilege: int
    x: int
    y: int


@dataclass(frozen=True)
class Board:
    """One side of a board, with everything that follows from it."""

    id: str
    name: str
    index: int
    canvas: tuple[int, int]
    office_step: int
    league: int  # 1: the Hanseatic League board, which has missions and favour tiles
    players: tuple[int, ...]
    cities: tuple[City, ...]
    routes: tuple[Route, ...]
    spots: tuple[Spot, ...]
    limit: int  # completed cities that end the game
    east_west: tuple[int, int]
    east_west_points: tuple[int, ...]
    regions: tuple[str, ...]
    home: int  # the region without restrictions
    scored_regions: tuple[int, ...]
    region_points: tuple[int, ...]
    neutral_routes: tuple[int, ...]
    post_route: tuple[int, ...]
    post_ship: tuple[int, ...]
    post_region: tuple[int, ...]
    takers: tuple[Posts, ...]  # shape -> the posts that take it
    neighbours: tuple[frozenset[int], ...]  # city -> cities one route away
    rings: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]  # shape -> route -> posts that take it, by distance (R9)
    moves: tuple[
        tuple[tuple[tuple[int, ...], ...], ...], ...
    ]  # 1: own move -> shape -> region -> posts to move to (21.3)
    permit_cities: tuple[tuple[int, ...], ...]  # region -> cities, the country's own before London (R8)
    taverns: tuple[int, ...]


def code_of(city: str) -> str:
    """The short code of a city id."""
    return _CODES.get(city, city[:3])


def _cities(raw: dict[str, Any], regions: tuple[str, ...]) -> tuple[City, ...]:
    numbers = {entry["id"]: number for number, entry in enumerate(raw["city"])}
    touching: dict[int, list[int]] = {number: [] for number in numbers.values()}
    for number, route in enumerate(raw["route"]):
        touching[numbers[route["a"]]].append(number)
        touching[numbers[route["b"]]].append(number)
    return tuple(
        City(
            id=entry["id"],
            name=entry["name"],
            code=code_of(entry["id"]),
            x=entry["x"],
            y=entry["y"],
            spaces=tuple(
                Space(PRIVILEGES.index(o["colour"]), int(o["shape"] == "circle"), o.get("coin", 0))
                for o in entry["offices"]
            ),
            abilities=tuple(ABILITIES.index(name) for name in entry["abilities"]),
            regions=tuple(regions.index(name) for name in entry["regions"]),
            permits=tuple(regions.index(name) for name in entry["permits"]),
            green=int(entry["green"] != "none"),
            special=int(entry["special_prestige"]),
            routes=tuple(touching[number]),
        )
        for number, entry in enumerate(raw["city"])
    )


def _routes(raw: dict[str, Any], cities: tuple[City, ...], regions: tuple[str, ...]) -> tuple[Route, ...]:
    numbers = {city.id: number for number, city in enumerate(cities)}
    out: list[Route] = []
    first = 0
    for entry in raw["route"]:
        a, b = numbers[entry["a"]], numbers[entry["b"]]
        end = first + len(entry["post_kinds"])
        out.append(
            Route(
                id=entry["id"],
                code=f"{cities[a].code}-{cities[b].code}",
                a=a,
                b=b,
                first=first,
                end=end,
                ship=tuple(int(kind == "ship") for kind in entry["post_kinds"]),
                xy=tuple((x, y) for x, y in entry["post_xy"]),
                region=regions.index(entry["region"]),
                sea=int(entry["sea"]),
                tavern=int(entry["tavern"]),
                permanent=None if entry["permanent"] == "none" else PERMANENTS.index(entry["permanent"]),
                accepts=int(entry["accepts_markers"]),
                marker_xy=(entry["marker_xy"][0], entry["marker_xy"][1]),
            )
        )
        first = end
    return tuple(out)


def _rings(
    origin: int, cities: tuple[City, ...], routes: tuple[Route, ...], home: int, takers: Posts
) -> tuple[Posts, ...]:
    """Posts of `takers` around a route by distance; the search keeps to its own region and England (21.3, R9)."""
    allowed = {number for number, route in enumerate(routes) if route.region in (routes[origin].region, home)}
    distance = {origin: 0}
    queue = deque([origin])
    while queue:
        here = queue.popleft()
        for city in (routes[here].a, routes[here].b):
            for beside in cities[city].routes:
                if beside in allowed and beside not in distance:
                    distance[beside] = distance[here] + 1
                    queue.append(beside)
    fitting = frozenset(takers)
    rings: list[list[int]] = [[] for _ in range(max(distance.values()))]
    for number, far in sorted(distance.items()):
        if far:
            rings[far - 1] += [post for post in range(routes[number].first, routes[number].end) if post in fitting]
    return tuple(map(tuple, rings))


def _moves(takers: Posts, post_region: tuple[int, ...], also: int, regions: int) -> tuple[Posts, ...]:
    """Per region the posts of `takers` that a piece may move to from there: of the same region, or of `also`."""
    return tuple(tuple(post for post in takers if post_region[post] in (here, also)) for here in range(regions))


def _board(index: int, raw: dict[str, Any]) -> Board:
    regions = tuple(raw["regions"])
    home = regions.index(raw["default_region"])
    cities = _cities(raw, regions)
    routes = _routes(raw, cities, regions)
    city_at = {city.id: number for number, city in enumerate(cities)}
    route_at = {route.id: number for number, route in enumerate(routes)}
    beside: list[set[int]] = [set() for _ in cities]
    for route in routes:
        beside[route.a].add(route.b)
        beside[route.b].add(route.a)
    own_first = sorted(range(len(cities)), key=lambda city: (len(cities[city].permits), city))
    west, east = raw["east_west"]
    post_ship = tuple(ship for route in routes for ship in route.ship)
    post_region = tuple(route.region for route in routes for _ in route.ship)
    takers = (tuple(post for post, ship in enumerate(post_ship) if not ship), tuple(range(len(post_ship))))
    return Board(
        id=raw["id"],
        name=raw["name"],
        index=index,
        canvas=(raw["canvas"]["width"], raw["canvas"]["height"]),
        office_step=raw["office_step"],
        league=int("mission_cards" in raw["modules_allowed"]),
        players=tuple(mode["players"] for mode in DATA["mode"] if raw["id"] in mode["maps"]),
        cities=cities,
        routes=routes,
        spots=tuple(
            Spot(spot["value"], PRIVILEGES.index(spot["privilege"]), spot["x"], spot["y"])
            for spot in raw["prestige_spot"]
        ),
        limit=raw["completed_city_limit"],
        east_west=(city_at[west], city_at[east]),
        east_west_points=tuple(raw["east_west_points"]),
        regions=regions,
        home=home,
        scored_regions=tuple(regions.index(name) for name in raw["scored_regions"]),
        region_points=tuple(raw["region_points"]),
        neutral_routes=tuple(route_at[name] for name in raw["neutral_start_routes"]),
        post_route=tuple(number for number, route in enumerate(routes) for _ in route.ship),
        post_ship=post_ship,
        post_region=post_region,
        takers=takers,
        neighbours=tuple(frozenset(each) for each in beside),
        rings=tuple(
            tuple(_rings(origin, cities, routes, home, fitting) for origin in range(len(routes))) for fitting in takers
        ),
        moves=tuple(
            tuple(_moves(fitting, post_region, also, len(regions)) for fitting in takers) for also in (-1, home)
        ),
        permit_cities=tuple(
            tuple(city for city in own_first if region in cities[city].permits) for region in range(len(regions))
        ),
        taverns=tuple(
            number for _, number in sorted((route.id, number) for number, route in enumerate(routes) if route.tavern)
        ),
    )


BOARDS: tuple[Board, ...] = tuple(_board(index, raw) for index, raw in enumerate(DATA["map"]))
BOARD_AT: dict[str, Board] = {board.id: board for board in BOARDS}
MOST_POSTS: int = max(len(board.post_ship) for board in BOARDS)
