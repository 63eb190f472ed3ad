"""How to hold states: frozen dataclasses + msgpack against msgspec structs, on a state of Hansa's size (ADR 2)."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2]))

import bench_rounds
import msgpack
import msgspec

ROUTES, CITIES, PLAYERS = 35, 27, 5  # about 130 posts, 80 offices, five player boards


class SRoute(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    posts: tuple[tuple[int, int], ...]
    marker: int


class SCity(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    offices: tuple[int, ...]
    extra: tuple[int, ...]


class SPlayer(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    skills: tuple[int, int, int, int, int]
    stock: tuple[int, int]
    supply: tuple[int, int]
    markers: tuple[int, ...]
    points: int


class SState(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    turn: int
    left: int
    routes: tuple[SRoute, ...]
    cities: tuple[SCity, ...]
    players: tuple[SPlayer, ...]


class SMove(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, tag="move"):
    seat: int
    route: int
    post: int


@dataclasses.dataclass(frozen=True, slots=True)
class DRoute:
    posts: tuple[tuple[int, int], ...]
    marker: int


@dataclasses.dataclass(frozen=True, slots=True)
class DCity:
    offices: tuple[int, ...]
    extra: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class DPlayer:
    skills: tuple[int, int, int, int, int]
    stock: tuple[int, int]
    supply: tuple[int, int]
    markers: tuple[int, ...]
    points: int


@dataclasses.dataclass(frozen=True, slots=True)
class DState:
    turn: int
    left: int
    routes: tuple[DRoute, ...]
    cities: tuple[DCity, ...]
    players: tuple[DPlayer, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class DMove:
    seat: int
    route: int
    post: int


def build(route: Any, city: Any, player: Any, state: Any) -> Any:
    """The same position in either form."""
    return state(
        2,
        3,
        tuple(route(tuple((n % 5 - 1, n % 2) for n in range(3 + i % 2)), i % 16 - 1) for i in range(ROUTES)),
        tuple(city(tuple((i + n) % 6 - 1 for n in range(1 + i % 4)), ()) for i in range(CITIES)),
        tuple(player((1, 2, 0, 3, 1), (5, 1), (4, 1), (3, 7, 9), 12 + i) for i in range(PLAYERS)),
    )


def plain(state: DState) -> tuple[Any, ...]:
    """A dataclass state as nested tuples, by hand: the fastest way msgpack can take it."""
    return (
        state.turn,
        state.left,
        tuple((route.posts, route.marker) for route in state.routes),
        tuple((city.offices, city.extra) for city in state.cities),
        tuple((p.skills, p.stock, p.supply, p.markers, p.points) for p in state.players),
    )


def decode_move(raw: bytes) -> DMove:
    """A careful hand-written decoder, as every dataclass action would need one."""
    if len(raw) > 1024:
        raise ValueError("too long")
    try:
        found = msgpack.unpackb(raw, use_list=False, strict_map_key=True)
    except (ValueError, msgpack.exceptions.UnpackException) as error:
        raise ValueError(str(error)) from None
    if type(found) is not tuple or len(found) != 4 or found[0] != "move":
        raise ValueError("no move")
    for value in found[1:]:
        if type(value) is not int or not 0 <= value <= 0xFFFF:
            raise ValueError("field")
    return DMove(*found[1:])


def repeated(function: Any, count: int = 50) -> Any:
    """A piece of work: this call, so many times."""

    def work() -> int:
        for _ in range(count):
            function()
        return count

    return work


def over_all(items: list[bytes], function: Any, errors: Any) -> Any:
    """A piece of work: this call for each item, refused or not."""

    def work() -> int:
        for item in items:
            with contextlib.suppress(errors):
                function(item)
        return len(items)

    return work


def with_other_points(state: Any, replace: Any) -> Any:
    """The state with one field of a player and one of its own replaced."""
    players = state.players
    changed = replace(players[1], points=99)
    return replace(state, players=(players[0], changed, *players[2:]), left=2)


def works(struct: Any, data: Any) -> dict[str, tuple[Any, Any]]:
    """What is compared, by name: the work with structs and, where there is one, with dataclasses."""
    encode = msgspec.msgpack.Encoder().encode
    decoder = msgspec.msgpack.Decoder(SMove)
    state_decoder = msgspec.msgpack.Decoder(SState)
    raw, good = encode(struct), encode(SMove(1, 2, 3))
    assert msgpack.packb(plain(data)) == raw, "one wire form"
    hostile = [good, b"", b"\xc1", good[:-1], good + b"\0", encode(["move", 1, 2]), encode(["move", 1, 2, "x"]), raw]
    return {
        "encode": (repeated(lambda: encode(struct)), repeated(lambda: msgpack.packb(plain(data)))),
        "digest": (
            repeated(lambda: blake2b(encode(struct), digest_size=32).digest()),
            repeated(lambda: blake2b(msgpack.packb(plain(data)), digest_size=32).digest()),
        ),
        "typed decode, hostile": (
            over_all(hostile, decoder.decode, msgspec.MsgspecError),
            over_all(hostile, decode_move, ValueError),
        ),
        "typed decode, state": (repeated(lambda: state_decoder.decode(raw)), None),
        "replace": (
            repeated(lambda: with_other_points(struct, msgspec.structs.replace)),
            repeated(lambda: with_other_points(data, dataclasses.replace)),
        ),
        "astuple + pack": (
            repeated(lambda: encode(struct)),
            repeated(lambda: msgpack.packb(dataclasses.astuple(data)), 5),
        ),
    }


def main() -> None:
    struct, data = build(SRoute, SCity, SPlayer, SState), build(DRoute, DCity, DPlayer, DState)
    compared = works(struct, data)
    contenders: dict[str, bench_rounds.Contender] = {}
    for name, pair in compared.items():
        for kind, work in zip(("msgspec", "dataclass"), pair, strict=True):
            if work is not None:
                contenders[f"{name} {kind}"] = lambda seconds, work=work: bench_rounds.rate(work, seconds)
    found = bench_rounds.rounds(contenders, 9, 0.05)
    print(f"state of {len(msgspec.msgpack.encode(struct))} bytes")
    for name, pair in compared.items():
        ours = 1e6 / bench_rounds.middle(found, f"{name} msgspec")
        if pair[1] is None:
            print(f"{name:24} msgspec {ours:7.2f} us")
            continue
        other = 1e6 / bench_rounds.middle(found, f"{name} dataclass")
        times_faster = bench_rounds.ratio(found, f"{name} msgspec", f"{name} dataclass")
        shown = f"{times_faster['median']:.1f} ({times_faster['low']:.1f} to {times_faster['high']:.1f})"
        print(f"{name:24} msgspec {ours:7.2f} us   dataclasses {other:7.2f} us   ratio {shown}")


if __name__ == "__main__":
    main()
