"""What a node tells the local network about its table: the TXT record of `_kontor._tcp`, written and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from kontor_games.engine.errors import RemoteError

from .address import join_address, why_not_address
from .messages import OLDEST, PROTOCOL, Address, Key, Protocol, TableId, Word
from .text import why_not_name

SERVICE: Final = "_kontor._tcp.local."
VERSION: Final = "1"
MAX_ADDRESSES: Final = 8


class Announcement(Struct, frozen=True):
    """A table on the local network. Nothing of it is proven: the link checks the key, the person the fingerprint."""

    key: Key  # the host's
    table: TableId
    game: Word
    host: str  # the host's name
    seats: Annotated[int, Meta(ge=1, le=8)]
    taken: Annotated[int, Meta(ge=0, le=8)]
    addresses: Annotated[tuple[Address, ...], Meta(max_length=MAX_ADDRESSES)] = ()
    phase: Literal["open", "started"] = "open"  # once it has started one may only watch
    protocol: Protocol = PROTOCOL  # what one needs to play there


def write_offer(offer: Announcement) -> dict[str, str]:
    """The properties of the TXT record; addresses and port travel in records of their own."""
    return {
        "v": VERSION,
        "key": offer.key.hex(),
        "table": offer.table,
        "game": offer.game,
        "host": offer.host,
        "seats": str(offer.seats),
        "taken": str(offer.taken),
        "phase": offer.phase,
        "protocol": str(offer.protocol),
    }


def read_offer(properties: Mapping[bytes, bytes | None], hosts: Sequence[str], port: int) -> Announcement:
    """The offer in what somebody announced; RemoteError for anything that is none."""
    try:
        text = {name.decode(): (value or b"").decode() for name, value in properties.items() if len(value or b"") < 256}
        if text.pop("v", None) != VERSION:
            raise RemoteError("an announcement of another version")
        addresses = [join_address(host, port) for host in hosts[:MAX_ADDRESSES]]
        values = {
            **{name: text[name] for name in ("table", "game", "host")},
            "key": bytes.fromhex(text["key"]),
            "seats": int(text["seats"][:2]),
            "taken": int(text["taken"][:2]),
            "phase": text.get("phase", "open"),
            "protocol": int(text.get("protocol", str(OLDEST))[:9]),
            "addresses": [address for address in addresses if why_not_address(address) is None],
        }
        offer = msgspec.convert(values, Announcement)
    except (KeyError, ValueError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise RemoteError(f"a malformed announcement: {ascii(str(error))[:120]}") from None
    if reason := why_not_name(offer.host):
        raise RemoteError(f"a malformed announcement: {reason}")
    if not offer.addresses or offer.taken > offer.seats:
        raise RemoteError("an announcement that cannot be right")
    return offer
