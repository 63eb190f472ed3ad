"""Bans, mutes and warnings: what operators decided, and how the person concerned learns why."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from kontor_games.engine.errors import ConfigError
from kontor_games.net.system.networks import plain_host, plain_ip, plain_network
from kontor_games.net.wire.lobby_messages import Notice

from .records import PRESENCE, PROFILE, SANCTION, Presence, Profile, Sanction
from .work import RequestRefused, Work

_PREFIXES = {4: (32, 24, 16), 6: (128, 64, 56, 48)}
MAX_WARNINGS = 8
PAGE = 500  # records read at a time


def key_id(what: str, key: bytes) -> str:
    """The record of a ban or mute of a key."""
    return f"{what}:key:{key.hex()}"


def network_id(text: str) -> str:
    """The record of a ban of an address or network; ConfigError if that cannot be banned."""
    try:
        network = plain_network(text)
    except ValueError as error:
        raise ConfigError(f"{text[:60]!r} is not an address or a network") from error
    if network.prefixlen not in _PREFIXES[network.version]:
        allowed = ", ".join(f"/{length}" for length in _PREFIXES[network.version])
        raise ConfigError(f"networks are banned as {allowed}, not /{network.prefixlen}")
    return f"ban:net:{network}"


def _networks_of(address: str) -> Iterator[str]:
    ip = plain_ip(plain_host(address))
    if ip is None:
        return
    for length in _PREFIXES[ip.version]:
        yield f"ban:net:{ipaddress.ip_network((ip, length), strict=False)}"


async def _in_force(work: Work, id: str) -> Sanction | None:
    sanction = await work.get(SANCTION, id)
    if sanction is None or (sanction.until is not None and sanction.until <= work.now):
        return None
    return sanction


async def ban_of(work: Work, key: bytes, address: str) -> Sanction | None:
    """The ban that keeps this key or this address out, or None."""
    for id in (key_id("ban", key), *_networks_of(address)):
        sanction = await _in_force(work, id)
        if sanction is not None:
            return sanction
    return None


async def refuse_muted(work: Work, key: bytes) -> None:
    """RequestRefused, with the operators' reason, if this key may not chat."""
    sanction = await _in_force(work, key_id("mute", key))
    if sanction is not None:
        wait = (sanction.until - work.now) / 1000 if sanction.until else 0.0
        raise RequestRefused("muted", f"the operators of this lobby muted you: {sanction.reason}", wait)


async def take_warnings(work: Work, key: bytes) -> tuple[str, ...]:
    """Warnings that were given while the person was away; they are told once."""
    profile = await work.get(PROFILE, key.hex())
    if profile is None or not profile.warnings:
        return ()
    await work.put(PROFILE, key.hex(), replace(profile, warnings=(), seen=work.now))
    return profile.warnings


async def warn(work: Work, key: bytes, text: str, is_here: bool) -> None:
    """Warn somebody now, or when they come."""
    if is_here:
        work.tell([key], Notice("warning", text))
        return
    profile = await work.get(PROFILE, key.hex()) or Profile()
    warnings = (*profile.warnings, text)[-MAX_WARNINGS:]
    await work.put(PROFILE, key.hex(), replace(profile, warnings=warnings, seen=work.now))


async def impose(work: Work, id: str, sanction: Sanction, keys: Iterable[bytes]) -> None:
    """Put a ban or mute into force and tell the people concerned; a ban ends their connections."""
    await work.put(SANCTION, id, sanction)
    order = "close" if sanction.what == "ban" else ""
    work.tell(keys, Notice(sanction.what, sanction.reason, sanction.until or 0), order=order)


async def people_in(work: Work, network: str) -> list[bytes]:
    """Who is connected from an address or network."""
    where = plain_network(network)
    found = [(person.key, plain_ip(plain_host(person.address))) for person in await people_here(work)]
    return [key for key, ip in found if ip is not None and ip in where]


async def people_here(work: Work) -> list[Presence]:
    """Everybody who is connected now."""
    found: list[Presence] = []
    after = ""
    while page := await work.page(PRESENCE, None, after, PAGE):
        found += [presence for _, presence in page if presence.away is None]
        after = page[-1][0]
    return found
