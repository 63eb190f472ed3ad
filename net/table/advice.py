"""Plain sentences about connections: what works, what does not, and what a person can do about it.

All clients show these; whoever rewords one does it here. Pure functions: figures in, sentences out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from kontor_games.net.wire.address import is_loopback, why_not_address
from kontor_games.net.wire.messages import PROTOCOL, About, Way

MAX_SKEW: Final = 5.0  # seconds between two clocks that nobody minds
SLOW: Final = 0.4  # seconds there and back from which on a person feels it


def clock(who: str, skew: float | None) -> str | None:
    """What to do about a clock that is `skew` seconds ahead of ours; None if there is nothing to do."""
    if skew is None or abs(skew) <= MAX_SKEW:
        return None
    ahead = "ahead of" if skew > 0 else "behind"
    return (
        f"The clock of {who} is {_length(abs(skew))} {ahead} this machine's. Matches do not mind, but times shown "
        "will differ: let both machines set their clocks by the network."
    )


def older(who: str, protocol: int, what: str = "this table") -> str:
    """Somebody's node is too old to take part."""
    return f"{who} runs an older Kontor (protocol {protocol}); {what} needs protocol {PROTOCOL}. Update {who}'s Kontor."


def older_yourself(protocol: int) -> str:
    """The same for whoever has the older node, to be shown there."""
    return (
        f"Your Kontor is older (protocol {protocol}); this table needs protocol {PROTOCOL}. Update your Kontor, then "
        "come back: until then you cannot take a seat."
    )


def older_watcher(protocol: int) -> str:
    """The same for whoever wants to watch."""
    return f"your Kontor is older (protocol {protocol}); watching this match needs protocol {PROTOCOL}: update it"


def older_keeper(protocol: int) -> str:
    """A table whose keeper is too old for a match with this node; worded for both sides."""
    return (
        f"this table is kept by an older Kontor (protocol {protocol}); a match with this node needs protocol "
        f"{PROTOCOL}. Update the Kontor that keeps the table, its host's or the lobby's"
    )


def older_lobby(protocol: int) -> str:
    """A lobby whose tables are of no use to this node."""
    return (
        f"this lobby runs an older Kontor (protocol {protocol}), and tables need protocol {PROTOCOL}: its operator has "
        "to update it. Until then meet on the local network or by address."
    )


def newer_keeper(protocol: int) -> str:
    """A table that this node is too old for."""
    return f"this table needs protocol {protocol}, your Kontor speaks {PROTOCOL}: update your Kontor"


def versions(who: str, theirs: About | None, ours: About, game: str) -> str | None:
    """What to do about other versions; None if they fit."""
    if theirs is None:
        return f"{who} runs an older Kontor that does not tell its version."
    mine, other = ours.rules.get(game), theirs.rules.get(game)
    if game and mine is not None and other is None:
        return f"{who} does not have the game {game}: they need Kontor {ours.software} (theirs is {theirs.software})."
    if game and mine is not None and mine != other:
        newer = "you need" if other is not None and other > mine else "they need"
        wanted = max(ours.software, theirs.software, key=_numbers)
        return (
            f"{who} has version {other} of the rules of {game}, you have version {mine}: {newer} to upgrade (to Kontor "
            f"{wanted} or newer) before you can play together."
        )
    return None


HOLES: Final = {  # why there is no direct way through two routers, by the word that net/links has for it
    "missed": "A direct way through both routers was tried, and the routers let none through.",
    "absent": "A direct way through both routers was tried, but {who}'s Kontor did not take part; it is tried again.",
    "unfit": "A direct way through both routers cannot be made from outside.",
    "one-router": (
        "As the lobby sees it you both sit behind the same router, so the way lies inside. If you are in one house, "
        "use the same network on both machines, not a Wi-Fi for guests."
    ),
    "mixed": (
        "One of you has only new addresses on the internet (IPv6), the other only old ones (IPv4), and these two do "
        "not reach each other. There is nothing that you have to do."
    ),
    "no-punch": "This lobby does not help with direct ways through routers, or {who}'s Kontor is too old for it.",
    "off": (
        "Nobody looks for one, because this node was started so (--no-punching). Start it without that: kontor node "
        "stop, then kontor node start."
    ),
}
UPNP: Final = "turn on UPnP (it may also be called NAT-PMP or PCP)"
FORWARD: Final = "have port {port} forwarded to this machine"
BY_ITSELF: Final = "Then the way becomes direct by itself, at the latest in your next match."
OwnSide = Literal["", "bare", "open", "second", "off"]
HELP: Final[dict[OwnSide, str]] = {  # what would make a way direct, by what is known of our own router
    "": f"What helps: in the settings of your router or of {{who}}'s {UPNP}, or {FORWARD}. {BY_ITSELF}",
    "bare": (
        f"What helps: in the settings of {{who}}'s router {UPNP}, or of yours (kontor doctor says how), or {FORWARD}. "
        f"{BY_ITSELF}"
    ),
    "open": (
        "Your own router lets other players in already, so nothing is left to do on your side. Ask {who} to run "
        "kontor doctor: it says what helps there."
    ),
    "second": (
        "Another router stands before yours, so what you set on yours does not help. What helps: in the settings of "
        f"{{who}}'s router {UPNP}. {BY_ITSELF}"
    ),
    "off": (
        "Your router is not asked for help, because this node was started so (--no-mapping). What helps: start it "
        f"without that (kontor node stop, then kontor node start), and in your router's settings {UPNP}."
    ),
}


def peer(
    who: str,
    state: str,
    way: Way | None,
    round_trip: float | None,
    can_relay: bool,
    port: int,
    hole: str | None = None,
    own: OwnSide = "",
) -> str | None:
    """What to do about the way to one peer; None if it is good.

    `hole`: why there is no direct way through both routers, None if none was tried yet; `own`: what is known of our
    own router: it lets calls in, another stands before it, it is not asked, or not by UPnP.
    """
    match state:
        case "linked":
            if way == "relay":
                return _relayed(who, port, hole, own)
            if round_trip is not None and round_trip > SLOW:
                return f"The way to {who} is slow. A cable instead of Wi-Fi often helps, as does ending downloads."
            return None
        case "through others":
            return f"{who} is not reached directly; moves travel by way of the other players, which works."
        case "missing":
            return _missing(who, can_relay, port)
    return None


def own_side(outside: str, reason: str, is_asked: bool, can_upnp: bool = True) -> OwnSide:
    """What is known of our own router, for `peer`."""
    if outside:
        return "open"
    if not is_asked:
        return "off"
    if SECOND_ROUTER in reason:
        return "second"
    return "" if can_upnp else "bare"


def _relayed(who: str, port: int, hole: str | None, own: OwnSide) -> str:
    safe = (
        f"{who} is reached through the lobby's relay. You can play like this: the lobby passes on what the two of you "
        "say, and cannot read it. A direct way would only be faster."
    )
    if hole is None:
        return f"{safe} Kontor looks for one, and takes it by itself when it is found."
    tried = HOLES.get(hole, "A direct way was looked for and not found; it is tried again.").format(who=who)
    return f"{safe} {tried}" + (
        "" if hole in ("one-router", "mixed", "off") else f" {HELP[own].format(who=who, port=port)}"
    )


def _missing(who: str, can_relay: bool, port: int) -> str:
    known = f"{who} is not reached. Is Kontor running there, and is that machine online? It is tried again by itself."
    if can_relay:
        return (
            f"{known} If both of you are online, check that both reach the lobby, whose relay is the last way: kontor "
            "doctor says so on each machine."
        )
    return (
        f"{known} Outside one local network somebody must be reachable: forward port {port} on a router, or meet in "
        "a lobby, whose relay helps."
    )


def multicast(seconds: float | None, trouble: str | None) -> tuple[bool, str]:
    """Whether tables are found on the local network, and what to do if not."""
    if seconds is None or trouble:
        return False, (
            f"Announcements do not get through{f' ({trouble})' if trouble else ''}. Tables here are not found by "
            "themselves: join by address (the host's screen shows it) or in a lobby. Often a firewall blocks UDP port "
            "5353, or the network is a guest network that keeps machines apart."
        )
    return True, (
        f"Tables here are found by themselves: this machine heard its own announcement after {seconds:.1f} s. If "
        "somebody beside you still does not see yours, the network keeps machines apart, as Wi-Fi for guests often "
        "does. Then they join by the address that your screen shows, or you meet in a lobby."
    )


NO_LOBBY: Final = (  # what the system says, and what it means
    ("refused", "at this address no lobby is running now"),
    ("lookup failed", "nobody knows a machine of this name"),
    ("no route", "this machine has no way there"),
    ("unreachable", "this machine has no way there"),
    ("timed out", "nobody answers at this address"),
    ("time out", "nobody answers at this address"),
)


def lobby_down(reason: str) -> str:
    """Why the lobby is not reached, and what to do."""
    said = reason.rstrip(".")
    means = next((means for word, means in NO_LOBBY if word in reason.lower()), "")
    why = f"{means} ({said})" if means else said
    return f"The lobby is not reached: {why}. Check the address, and whether other programs are online."


def way_in(seen: str, own: Sequence[str]) -> str:
    """How others can call this node, from the address under which the lobby sees it."""
    if why_not_address(seen):
        return "The lobby does not tell an address under which it sees you."
    if is_loopback(seen):
        return "The lobby runs on this very machine, so it cannot tell how others see you."
    if seen in own:
        return (
            f"The lobby sees you at {seen}, one of your own addresses: others can call you, unless a firewall "
            "on this machine or in its network forbids it. If nobody gets through, allow Kontor in its settings."
        )
    port = own[0].rpartition(":")[2] if own else "of this node"
    return (
        f"The lobby sees you at {seen}, so a router stands between you and the internet, as in most homes. You can "
        "play all the same: Kontor looks for direct ways through it by itself, and where there is none the lobby's "
        f"relay helps. If everything goes through the relay, port {port} forwarded to this machine makes it direct."
    )


SECOND_ROUTER: Final = "another router stands before it"  # these three in the words of net/links
NOT_FOUND: Final = "could not be found"
ASKED: Final = "has not answered yet"
NOT_MAPPING: Final = (
    "Your router is not asked to let other players call you, because this node was started so (--no-mapping). You can "
    "play all the same: direct ways are found through the routers, or the lobby's relay helps."
)


def router(outside: str, language: str, reason: str, can_upnp: bool = True, at: str = "") -> str:
    """What the router said when it was asked to let calls in; `at` is its address inside, if it is known."""
    if outside:
        return (
            f"Your router lets others call you at {outside} (it was asked by {language}). You need not do anything; "
            "the port is given back when this node ends."
        )
    said = (
        f"Your router {reason}. You can play all the same, if need be through the lobby's relay, which is only slower."
    )
    if ASKED in reason:
        return f"{said} Look again in ten seconds."
    if NOT_FOUND in reason:
        return (
            f"{said} If you are online through a VPN, Kontor cannot see the router behind it: end the VPN while you "
            "play, if you may. Otherwise there is nothing that you have to do."
        )
    if SECOND_ROUTER in reason:
        return (
            f"{said} Nothing that you set on your own router changes it. If the other one is yours too, let only one "
            "of the two be a router (the other's settings call that bridge mode); if it is your provider's, ask them "
            "for a public IPv4 address."
        )
    where = f" (http://{at} in a browser; its password is mostly printed on it)" if at else ""
    help = f"To make it better, open your router's settings{where} and {UPNP}."
    if not can_upnp:
        help += " For UPnP install Kontor with its extra of that name: pip install 'kontor-games[upnp]'."
    return f"{said} {help} Then run kontor doctor again."


def may_be_open(ports: Sequence[int]) -> str:
    """A word on ports that the router let in before, and perhaps still does; empty if there are none."""
    if not ports:
        return ""
    named = " and ".join(f"port {port}" for port in ports)
    return f"The router let others in at {named} before and may do so still; that is given back when this node ends."


def _length(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".") if part.isdigit()]
