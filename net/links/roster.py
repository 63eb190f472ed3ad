"""Which peers we want to be linked to, whom to dial when, and which of two links to keep. A machine without I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from .paths import Path, path_of, schedule

FIRST_WAIT: Final = 0.25  # the side with the greater key dials a little later, so that mostly one dials
BACK_OFF: Final = 0.5
MAX_BACK_OFF: Final = 15.0
BETTER_FIRST: Final = 10.0  # while a peer is reached through a relay, a better way is looked for after so long,
BETTER_EVERY: Final = 30.0  # then after so long,
BETTER_AT_LAST: Final = 300.0  # ever more rarely, and so often in the end
SOON: Final = 0.1  # until the next call when a hole has died: the match waits, and the relay is at hand
STEADY: Final = 5.0  # a link that lived so long was a good one: the next attempt starts afresh
CLAIM_TRIES: Final = 3  # calls to an address that others name, until the peer has answered there
MAX_CLAIMS: Final = 16
MAX_PROVEN: Final = 4


@dataclass(frozen=True, slots=True)
class Dial:
    """Try this address for this peer."""

    peer: bytes
    address: str


@dataclass(frozen=True, slots=True)
class DropLink:
    """End this link in order."""

    link: int
    reason: str


@dataclass(frozen=True, slots=True)
class Retire:
    """Another link to the same peer has taken over: read this one to its end; `speaks_first` ends it."""

    link: int
    speaks_first: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """Find out quickly whether this link is still alive."""

    link: int


@dataclass(frozen=True, slots=True)
class Linked:
    """The peer is reached over this link; said again if another takes over and the old one may have lost something."""

    peer: bytes
    link: int


@dataclass(frozen=True, slots=True)
class Relinked:
    """The peer is reached over this link now, and before it over another, which is read to its end."""

    peer: bytes
    link: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The peer is not reached any more."""

    peer: bytes
    reason: str


Effect = Dial | DropLink | Retire | Probe | Linked | Relinked | Lost


@dataclass(slots=True)
class _Wanted:
    addresses: tuple[str, ...]  # of our own knowledge: called as often as it takes
    claimed: tuple[str, ...] = ()  # somebody said so: called a few times only, or we could be set on a third party
    proven: tuple[str, ...] = ()  # here the peer has answered with its key, the latest first
    tries: Counter[str] = field(default_factory=Counter)  # calls to claimed addresses
    rounds: int = 0
    dial_at: float | None = None  # when the next race begins
    race: list[tuple[float, str]] = field(default_factory=list)  # addresses of this race that wait for their start
    running: int = 0  # calls that are on their way
    better_at: float | None = None  # when to look for a better way than the one we have
    looks: int = 0  # for a better way, since the peer is reached
    is_urgent: bool = False  # a hole died: the relay is called at once, beside everything else

    @property
    def sure(self) -> tuple[str, ...]:
        through_lobby = (address for address in self.claimed if path_of(address) >= Path.PUNCHED)
        return tuple(dict.fromkeys((*self.addresses, *self.proven, *through_lobby)))

    @property
    def ways(self) -> tuple[str, ...]:
        """Every address that may be called now."""
        left = (address for address in self.claimed if self.tries[address] < CLAIM_TRIES)
        return tuple(dict.fromkeys((*self.sure, *left)))

    @property
    def is_idle(self) -> bool:
        return not self.race and not self.running

    @property
    def wake_at(self) -> float | None:
        times = [at for at, _ in self.race]
        times += [at for at in (self.dial_at, self.better_at) if at is not None]
        return min(times, default=None)


@dataclass(frozen=True, slots=True)
class _Kept:
    link: int
    dialled: bool
    nonce: bytes
    since: float
    path: Path


class Roster:
    """The wanted peers and the one link kept for each; `jitter` gives numbers from 0 up to 1."""

    def __init__(self, me: bytes, jitter: Callable[[], float]) -> None:
        self._me = me
        self._jitter = jitter
        self._wanted: dict[bytes, _Wanted] = {}
        self._kept: dict[bytes, _Kept] = {}

    def is_wanted(self, peer: bytes) -> bool:
        """Whether a link to this peer is to be kept up."""
        return peer in self._wanted

    @property
    def wanted(self) -> tuple[bytes, ...]:
        """All peers to which a link is to be kept up, sorted."""
        return tuple(sorted(self._wanted))

    def link_of(self, peer: bytes) -> int | None:
        """The link over which the peer is reached, or None."""
        kept = self._kept.get(peer)
        return None if kept is None else kept.link

    @property
    def linked(self) -> tuple[bytes, ...]:
        """All peers that are reached now, sorted."""
        return tuple(sorted(self._kept))

    def want(self, peer: bytes, addresses: Sequence[str], now: float, claimed: Sequence[str] = ()) -> None:
        """Keep a link to this peer; new addresses replace the old ones, but not proven ones, and are tried at once."""
        if peer == self._me:
            return
        wanted = self._wanted.setdefault(peer, _Wanted(()))
        if (wanted.addresses, wanted.claimed) == (tuple(addresses), tuple(claimed)):
            return
        wanted.addresses, wanted.claimed = tuple(addresses), tuple(claimed)
        self._begin(peer, wanted, now)

    def also(self, peer: bytes, claimed: Sequence[str], now: float) -> None:
        """A person asks for this peer: call it at these addresses too, and once more where it did not answer."""
        if peer == self._me:
            return
        wanted = self._wanted.setdefault(peer, _Wanted(()))
        wanted.claimed = tuple(dict.fromkeys((*claimed, *wanted.claimed)))[:MAX_CLAIMS]
        wanted.tries.clear()
        self._begin(peer, wanted, now)

    def found(self, peer: bytes, address: str) -> None:
        """The peer answered here, or a person says that this is its address: from now on it is called here."""
        wanted = self._wanted.setdefault(peer, _Wanted(()))
        wanted.proven = tuple(dict.fromkeys((address, *wanted.proven)))[:MAX_PROVEN]

    def proven(self, peer: bytes) -> tuple[str, ...]:
        """Where this peer is known to answer."""
        wanted = self._wanted.get(peer)
        return () if wanted is None else wanted.proven

    def _begin(self, peer: bytes, wanted: _Wanted, now: float) -> None:
        wanted.rounds = 0
        kept = self._kept.get(peer)
        if kept is not None:
            self._plan_better(wanted, kept, now)
        elif not wanted.is_idle:
            wanted.race = schedule(wanted.ways, now)
        elif wanted.ways:
            wanted.dial_at = now + (0.0 if self._me < peer else FIRST_WAIT)

    def forget(self, peer: bytes, reason: str) -> list[Effect]:
        """No link to this peer is needed any more."""
        self._wanted.pop(peer, None)
        kept = self._kept.get(peer)
        return [] if kept is None else [DropLink(kept.link, reason)]

    def why_not_greet(self, peer: bytes, path: Path) -> str | None:
        """Why a call that got through is not needed any more, or None."""
        kept = self._kept.get(peer)
        return "the peer is reached already" if kept is not None and kept.path <= path else None

    def link_opened(
        self,
        peer: bytes,
        link: int,
        dialled: bool,
        nonce: bytes,
        now: float,
        path: Path = Path.LAN,
        address: str | None = None,
        can_move: bool = False,
    ) -> list[Effect]:
        """A link has said hello; keep it, or the one we have: both sides come to the same answer.

        `can_move`: the other side reads an old link to its end too.
        """
        wanted = self._wanted.get(peer)
        if wanted is not None:
            if dialled:
                wanted.running = max(0, wanted.running - 1)
                if address is not None and path < Path.PUNCHED:
                    self.found(peer, address)
            not_raced = wanted.dial_at is not None and not wanted.rounds
            wanted.dial_at = None
            wanted.is_urgent = False
            wanted.race = [(at, way) for at, way in wanted.race if path is Path.RELAY and path_of(way) < path]
        old = self._kept.get(peer)
        effects: list[Effect] = []
        if old is not None:
            if reason := self._why_keep(peer, old, dialled, nonce, path if can_move else old.path, now):
                return [DropLink(link, reason), Probe(old.link)]
            moves = can_move and old.nonce == nonce and path < old.path  # otherwise the old one was lost
            effects.append(Retire(old.link, dialled) if moves else DropLink(old.link, "a newer link took over"))
            effects.append(Relinked(peer, link) if moves else Linked(peer, link))
        else:
            effects.append(Linked(peer, link))
        kept = self._kept[peer] = _Kept(link, dialled, nonce, now, path)
        if wanted is not None:
            self._plan_better(wanted, kept, now, not_raced)
        return effects

    def _why_keep(self, peer: bytes, old: _Kept, dialled: bool, nonce: bytes, path: Path, now: float) -> str | None:
        if old.nonce != nonce:
            return None  # the peer was restarted: the old link is dead
        if old.dialled == dialled:
            return None  # one side dials twice only if it has lost the first, or for a better way
        if old.path is Path.PUNCHED and path is Path.RELAY and not dialled and now - old.since >= STEADY:
            return None  # nobody calls through the relay while the hole is there: the peer has noticed before us
        if path is not old.path:
            return "the better way is kept" if old.path < path else None
        lower_dialled = (self._me < peer) == dialled
        return None if lower_dialled else "both sides dialled; the link of the lower key is kept"

    def link_closed(self, peer: bytes, link: int, reason: str, now: float) -> list[Effect]:
        """A link that had said hello is gone."""
        kept = self._kept.get(peer)
        if kept is None or kept.link != link:
            return []
        del self._kept[peer]
        wanted = self._wanted.get(peer)
        if wanted is not None:
            wanted.better_at = None
            was_steady = now - kept.since >= STEADY
            if was_steady:
                wanted.rounds = 0
            if wanted.ways and kept.path is Path.PUNCHED and was_steady:
                wanted.is_urgent = True
                wanted.dial_at = now + SOON * (0.5 + self._jitter() / 2)
            elif wanted.ways and wanted.is_idle:
                self._schedule(wanted, now)
        return [Lost(peer, reason)]

    def dial_failed(self, peer: bytes, now: float) -> None:
        """A dialled connection came to nothing before the other side's hello."""
        wanted = self._wanted.get(peer)
        if wanted is None:
            return
        wanted.running = max(0, wanted.running - 1)
        if wanted.running == 0 and wanted.race:
            wanted.race[0] = (now, wanted.race[0][1])  # nobody is ahead any more
        elif peer not in self._kept and wanted.ways and wanted.is_idle:
            self._schedule(wanted, now)

    def _schedule(self, wanted: _Wanted, now: float) -> None:
        """The next race: later each time, never in step with others; the few calls to mere claims are spread out."""
        base = 2 if wanted.sure else 4
        wait = min(MAX_BACK_OFF, BACK_OFF * base ** min(wanted.rounds, 10)) * (0.5 + self._jitter() / 2)
        wanted.dial_at = now + wait

    def _plan_better(self, wanted: _Wanted, kept: _Kept, now: float, is_new: bool = False) -> None:
        """Through a relay is good enough to play, but a better way is worth another look."""
        is_best = kept.path is not Path.RELAY or all(path_of(address) >= kept.path for address in wanted.ways)
        wanted.looks = 0
        wanted.better_at = None if is_best else now + (0.0 if is_new else BETTER_FIRST)

    def tick(self, now: float) -> list[Effect]:
        """Time has passed; see `wake_at`."""
        effects: list[Effect] = []
        for peer, wanted in self._wanted.items():
            kept = self._kept.get(peer)
            if wanted.dial_at is not None and now >= wanted.dial_at:
                wanted.dial_at = None
                wanted.rounds += 1
                wanted.race = [(now, way) for way in wanted.ways] if wanted.is_urgent else schedule(wanted.ways, now)
                wanted.is_urgent = False
            if wanted.better_at is not None and now >= wanted.better_at and kept is not None:
                better = [address for address in wanted.ways if path_of(address) < kept.path]
                wanted.looks += 1
                wait = min(BETTER_AT_LAST, BETTER_EVERY * 2 ** min(wanted.looks - 1, 10)) * (0.5 + self._jitter() / 2)
                wanted.better_at = now + wait if better else None
                wanted.race = schedule(better, now)
            due = [address for at, address in wanted.race if now >= at]
            wanted.race = [entry for entry in wanted.race if now < entry[0]]
            wanted.running += len(due)
            wanted.tries.update(address for address in due if address not in wanted.sure)
            effects += [Dial(peer, address) for address in due]
        return effects

    @property
    def wake_at(self) -> float | None:
        """When `tick` has something to do next."""
        return min((at for wanted in self._wanted.values() if (at := wanted.wake_at) is not None), default=None)
