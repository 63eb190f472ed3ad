"""Options, their checks, and the first state (section 6)."""

from __future__ import annotations

from kontor_games.engine.core.chance import Desk
from kontor_games.engine.core.game import Option, OptionValue
from kontor_games.engine.core.stream import Stream

from .data import BOARD_AT, DATA, GOLD, MARKERS, MOST_SILVER, NEUTRAL_TRADER, SILVER, SILVER_IN_PLAY, TILES, Board
from .state import SUPPLY, Player, State, set_byte

MAX_ROUNDS = 10_000
STANDARD = "standard"
MAX_SILVER = 64  # options are short texts in the terms of a match


def read_silver(text: str) -> list[int] | str:
    """The multiset of supply markers in `text`, or what is wrong with it (R26); names may be cut short."""
    if text == STANDARD:
        return list(SILVER)
    counts = [0] * len(MARKERS)
    for part in text.split(","):
        name, _, number = part.strip().partition(":")
        close = [index for index, marker in enumerate(MARKERS) if name and marker.startswith(name)]
        if len(close) != 1:
            return f"silver: {name!r} does not name one of {', '.join(MARKERS)}"
        if not number.isascii() or not number.isdigit() or len(number) > 2:
            return f"silver: {part.strip()!r} is not written «marker:number»"
        counts[close[0]] += int(number)
    for name, count, most in zip(MARKERS, counts, MOST_SILVER, strict=True):
        if count > most:
            return f"silver: there are only {most} {name}, not {count}"
    if sum(counts) != SILVER_IN_PLAY:
        return f"silver: exactly {SILVER_IN_PLAY} markers are needed, not {sum(counts)}"
    return counts


def _why_not_silver(value: OptionValue) -> str | None:
    if len(str(value)) > MAX_SILVER:
        return f"silver: at most {MAX_SILVER} letters; names may be cut short, such as «ext:3,swap:2»"
    found = read_silver(str(value))
    return found if isinstance(found, str) else None


def _why_not_rounds(value: OptionValue) -> str | None:
    return None if 0 <= int(value) <= MAX_ROUNDS else f"max_rounds is 0 (no limit) to {MAX_ROUNDS}, not {value}"


OPTIONS = (
    Option(
        "map",
        "base",
        ("base", "base_45", "base_3", "east", "britannia", "britannia_45", "britannia_3"),
        "The board; «base» and «britannia» take the side for the number of players.",
    ),
    Option("missions", False, (False, True), "Each player gets a secret mission card (Hanseatic League board)."),
    Option("favour", False, (False, True), "Tiles of the emperor's favour are on offer (Hanseatic League board)."),
    Option(
        "silver",
        STANDARD,
        (),
        "The twelve markers of the supply: «standard», or «marker:number,…» such as «ext:3,swap:2,plus_3:2,route:2,…».",
        _why_not_silver,
    ),
    # R12: a limit outside the rules, for programs that might never bring a match to its end
    Option("max_rounds", 0, (), "The match ends after so many rounds; 0 for no limit.", _why_not_rounds),
)


def board_for(name: str, seats: int) -> Board:
    """The map side that an option means for a number of players."""
    if name in ("base", "britannia"):
        name += "_45" if seats > 3 else "_3"
    return BOARD_AT[name]


def why_not_combination(options: dict[str, OptionValue], seats: int) -> str | None:
    """Each side is for certain numbers of players, and two modules belong to the Hanseatic League board (R29)."""
    board = board_for(str(options["map"]), seats)
    if seats not in board.players:
        return f"{board.id} is for {' or '.join(map(str, board.players))} players, not {seats}"
    for module in ("missions", "favour"):
        if options[module] and not board.league:
            return f"{module} belongs to the Hanseatic League board, not to {board.id}"
    return None


def setup(options: dict[str, OptionValue], seats: int, entropy: bytes) -> State:
    """Everything on the table; the shuffle of the supply is the first want."""
    board = board_for(str(options["map"]), seats)
    silver = read_silver(str(options["silver"]))
    assert not isinstance(silver, str), silver
    stream = Stream(entropy)
    start = stream.below(seats)
    gold = [marker for marker, count in enumerate(GOLD) for _ in range(count)]
    markers = bytes(len(board.routes))
    for tavern, pick in zip(board.taverns, stream.permutation(len(gold)), strict=True):
        markers = set_byte(markers, tavern, 1 + gold[pick])
    display = tuple(sorted(stream.permutation(len(TILES))[:seats])) if options["favour"] else ()
    faces = [marker for marker, count in enumerate(silver) for _ in range(count)]
    desk, supply = Desk().mix(faces)
    posts = bytes(len(board.post_route))
    if seats == 2:
        for route in (board.routes[number] for number in board.neutral_routes):
            posts = set_byte(posts, route.first + route.ship.index(0), NEUTRAL_TRADER)
    return State(
        desk=desk,
        map=board.index,
        seats=seats,
        start=start,
        max_rounds=int(options["max_rounds"]),
        silver=bytes(silver),
        missions=int(options["missions"]),
        stage=SUPPLY,
        players=tuple(_player((seat - start) % seats) for seat in range(seats)),
        posts=posts,
        rows=(b"",) * len(board.cities),
        extras=(b"",) * len(board.cities),
        markers=markers,
        prestige=bytes(len(board.spots)),
        supply=supply,
        display=display,
        active=start,
    )


def _player(position: int) -> Player:
    """The stocks by position in the turn order."""
    seat = DATA["seat"][position]
    return Player(
        levels=bytes(5),
        personal=(seat["personal"]["traders"], seat["personal"]["merchants"]),
        general=(seat["general"]["traders"], seat["general"]["merchants"]),
    )
