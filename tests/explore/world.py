"""All peers of one explored match and the links between them; a schedule is a list of steps.

A link is two one-way ends. It dies at one moment, with everything under way on it; each end notices by itself, at its
own time, and what is said into a dead link is lost. Per link the order holds, as TCP keeps it.

A world of its own holds hosts and talk. A world within a memory (`memory.py`) holds what stands for them there, and
is left in many ways at little cost; both go through the same steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations
from typing import Any, TypeAlias

from .host import Host
from .memory import Memory
from .snapshot import copied

Link: TypeAlias = tuple[int, int]
Step: TypeAlias = tuple[Any, ...]  # a word and its arguments; as JSON in traces
RESEND = 3.5  # seconds: a session offers everything again


class World:
    """Hosts, live links, and what is under way on them."""

    __slots__ = ("damaged", "deliveries", "findings", "gone", "hosts", "left", "live", "memory", "voted", "wires")

    def __init__(self, hosts: Sequence[Host] = ()) -> None:
        self.hosts: list[Any] = list(hosts)  # of `Host`, or of `Local` within a memory
        self.wires: dict[Link, tuple[Any, ...]] = {}  # of `Talk`, or of its numbers; a wire without any is left out
        self.live: frozenset[Link] = frozenset()  # as (lower, higher)
        self.memory: Memory | None = None
        self.findings: list[tuple[str, str]] = []
        self.deliveries = 0
        self.voted: frozenset[int] = frozenset()  # peers that some person declared gone
        self.left: frozenset[int] = frozenset()  # peers whose person said goodbye
        self.gone: frozenset[int] = frozenset()  # peers that never come back
        self.damaged: frozenset[int] = frozenset()  # peers that lost part of their synced journal

    def branch(self) -> World:
        """The same world once more: what happens there does not happen here. Only within a memory."""
        return self._like(self.hosts[:], self.wires.copy(), self.memory)

    def within(self, memory: Memory) -> World:
        """The same world within a memory."""
        wires = {link: tuple(map(memory.number, talks)) for link, talks in self.wires.items()}
        return self._like([memory.local(copied(host)) for host in self.hosts], wires, memory)

    def alone(self) -> World:
        """The same world with hosts of its own, to be run without a memory."""
        memory = self.memory
        if memory is None:
            return self._like([_fresh(host) for host in self.hosts], self.wires.copy(), None)
        wires = {link: tuple(map(memory.talk, talks)) for link, talks in self.wires.items()}
        return self._like([_fresh(memory.host(local)) for local in self.hosts], wires, None)

    def _like(self, hosts: list[Any], wires: dict[Link, tuple[Any, ...]], memory: Memory | None) -> World:
        other = World.__new__(World)
        other.hosts, other.wires, other.memory = hosts, wires, memory
        other.live, other.findings, other.deliveries = self.live, self.findings[:], 0
        other.voted, other.left, other.gone, other.damaged = self.voted, self.left, self.gone, self.damaged
        return other

    def key(self) -> tuple[Any, ...]:
        """Equal for worlds in the same state: two within one memory, or two with hosts of their own."""
        hosts = self.hosts if self.memory is not None else [host.fingerprint for host in self.hosts]
        wires = map(self.wires.get, _links(len(hosts)))
        return *hosts, *wires, self.live, self.voted, self.left, self.gone, self.damaged

    @property
    def is_broken(self) -> bool:
        """Whether a promise is broken; a node out of which an exception came goes on, so it is worth going on too."""
        return any(promise != "exception" for promise, _ in self.findings)

    @property
    def honest(self) -> list[Any]:
        return [host for host in self.hosts if host.is_honest]

    @property
    def liars(self) -> list[Any]:
        return [host for host in self.hosts if not host.is_honest]

    # ---- steps

    def steps(self) -> Iterator[Step]:
        """What may happen by itself now: messages arrive, workers finish, ends notice, players play."""
        for a, b in sorted(self.wires):
            yield "deliver", a, b
        for host in self.hosts:
            if host.alive and host.works:
                yield "work", host.number
            if host.alive and host.replays:
                yield "replay", host.number
        yield from self.unnoticed()
        for host in self.hosts:
            if host.alive and host.can_play:
                yield "play", host.number

    def unnoticed(self) -> list[Step]:
        """The ends of dead links that do not know it yet."""
        ends = ((h.number, p) for h in self.hosts if h.alive for p in sorted(h.linked))
        return [("notice", a, b) for a, b in ends if _pair(a, b) not in self.live]

    def do(self, step: Step) -> bool:
        """One step; False if it cannot happen here."""
        return bool(getattr(self, _METHODS[step[0]])(*step[1:]))

    def _happen(self, number: int, *what: Any) -> None:
        host = self.hosts[number]
        was_alive = host.alive
        if self.memory is not None:
            host, out, findings = self.memory.take(host, what)
            self.hosts[number] = host
        else:
            host.findings = findings = []
            out = host.take(*what)
        self.findings += findings
        for kind, peer, value in out:
            if kind == "send":
                if _pair(number, peer) in self.live:
                    self.wires[number, peer] = (*self.wires.get((number, peer), ()), value)
            else:
                self._lose(number, peer)
                if peer in host.linked:
                    self._happen(number, "unlink", peer)
        if was_alive and not host.alive and what[0] != "silence":
            self._die(number)

    def _die(self, number: int) -> None:
        for peer in range(len(self.hosts)):
            self._lose(number, peer)

    def _deliver(self, a: int, b: int) -> bool:
        talks = self.wires.get((a, b))
        if not talks:
            return False
        if len(talks) > 1:
            self.wires[a, b] = talks[1:]
        else:
            del self.wires[a, b]
        self.deliveries += 1
        if self.hosts[b].alive and a in self.hosts[b].linked:
            self._happen(b, "hear", a, talks[0])
        return True

    def _work(self, number: int) -> bool:
        return self._if(self.hosts[number].alive and self.hosts[number].works, number, "work")

    def _replay(self, number: int) -> bool:
        return self._if(self.hosts[number].alive and self.hosts[number].replays, number, "replay")

    def _play(self, number: int, pick: int = 0) -> bool:
        return self._if(self.hosts[number].can_play, number, "play", pick)

    def _tick(self, number: int, seconds: float = RESEND) -> bool:
        return self._if(self.hosts[number].alive, number, "tick", seconds)

    def _if(self, condition: object, number: int, name: str, *arguments: Any) -> bool:
        is_possible = bool(condition)  # a list that decides may be empty afterwards
        if is_possible:
            self._happen(number, name, *arguments)
        return is_possible

    # ---- links

    def _lose(self, a: int, b: int) -> bool:
        if _pair(a, b) not in self.live:
            return False
        self.live -= {_pair(a, b)}
        self.wires.pop((a, b), None)
        self.wires.pop((b, a), None)
        return True

    def _notice(self, a: int, b: int) -> bool:
        here = self.hosts[a]
        return self._if(here.alive and b in here.linked and _pair(a, b) not in self.live, a, "unlink", b)

    def _link(self, a: int, b: int) -> bool:
        here, there = self.hosts[a], self.hosts[b]
        if a == b or _pair(a, b) in self.live or not (here.alive and there.alive):
            return False
        self._notice(a, b)  # an end that dials or answers lets go of the old link first
        self._notice(b, a)
        if not (self.hosts[a].alive and self.hosts[b].alive):
            return True  # the power was cut while it noticed
        self.live |= {_pair(a, b)}
        self._happen(a, "link", b)
        self._happen(b, "link", a)
        return True

    # ---- misfortunes

    def _crash(self, number: int, how: str = "synced") -> bool:
        if how in ("cut", "both"):
            self.damaged |= {number}
        return self._if(self.hosts[number].alive, number, "crash", how)

    def _restart(self, number: int) -> bool:
        return self._if(not self.hosts[number].alive and number not in self.gone, number, "restart")

    def _reboot(self, number: int, how: str = "synced") -> bool:
        """A crash and a restart; all others have noticed and are linked again."""
        if not self._crash(number, how):
            return False
        self._restart(number)
        for peer in range(len(self.hosts)):
            self._link(number, peer)
        return True

    def _fuse(self, number: int, effects: int, how: str) -> bool:
        return self._if(self.hosts[number].alive, number, "light_fuse", effects, how)

    def _disk(self, number: int, is_full: bool) -> bool:
        return self._if(self.hosts[number].alive, number, "fill_disk", is_full)

    def _noreplay(self, number: int) -> bool:
        return self._if(self.hosts[number].alive, number, "fail_replay")

    def _damage(self, number: int) -> bool:
        return self._if(self.hosts[number].alive, number, "damage")

    # ---- people and the adversary

    def _vote(self, number: int, *against: int) -> bool:
        wanted = self.hosts[number].votable(against)
        if wanted is None:
            return False
        self.voted |= set(wanted)
        self._happen(number, "vote", *wanted)
        return True

    def _bye(self, number: int) -> bool:
        self.left |= {number}
        return self._if(self.hosts[number].alive, number, "bye")

    def _chat(self, number: int) -> bool:
        return self._if(self.hosts[number].alive, number, "chat")

    def _trick(self, name: str, target: int, number: int | None = None) -> bool:
        """A liar's trick; of the only one if it has no number."""
        liar = next((host for host in self.liars if number in (None, host.number)), None)
        if liar is None or not liar.alive or liar.number == target:
            return False
        self._happen(liar.number, "trick", name, target)
        return True

    def _silence(self, number: int) -> bool:
        self.gone |= {number}
        return self._if(self.hosts[number].alive, number, "silence")


def _pair(a: int, b: int) -> Link:
    return (a, b) if a < b else (b, a)


@cache
def _links(peers: int) -> tuple[Link, ...]:
    return tuple(permutations(range(peers), 2))


def _fresh(host: Host) -> Host:
    made = copied(host)
    made.findings = []
    return made


_METHODS = {name[1:]: name for name in vars(World) if name.startswith("_") and not name.startswith("__")}


def begun(terms: bytes, peers: int) -> World:
    """A world whose peers have just begun and are all linked."""
    world = World([Host(number, terms) for number in range(peers)])
    for number in range(peers):
        world._happen(number, "tick", 0.5)
        world._happen(number, "start")
    for a in range(peers):
        for b in range(a + 1, peers):
            world.do(("link", a, b))
    return world
