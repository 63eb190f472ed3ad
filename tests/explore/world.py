"""All peers of one explored match and the links between them; a schedule is a list of steps.

A link is two one-way ends. It dies at one moment, with everything under way on it; each end notices by itself, at its
own time, and what is said into a dead link is lost. Per link the order holds, as TCP keeps it.

Hosts are shared between the branches of a search and copied when something happens to them. What happens to one host
does not depend on the others, so a search remembers it: the same input to a host in the same state is run once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from kontor_games.net.wire.match_talk import Talk

from .host import Host
from .snapshot import copied

Step: TypeAlias = tuple[Any, ...]  # a word and its arguments; as JSON in traces
RESEND = 3.5  # seconds: a session offers everything again
REMEMBERED = 6000  # inputs to hosts that a search remembers


class Memory:
    """What became of hosts, by their state and what happened to them; the oldest is forgotten."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Any, ...], tuple[Host, list[tuple[str, int, Any]]]] = OrderedDict()
        self.run = 0
        self.remembered = 0

    def take(self, host: Host, name: str, arguments: tuple[Any, ...]) -> tuple[Host, list[tuple[str, int, Any]]]:
        """The host after this, and what it says."""
        key = (host.fingerprint(), name, arguments)
        found = self._known.get(key)
        if found is not None:
            self.remembered += 1
            self._known.move_to_end(key)
            return found
        self.run += 1
        after = copied(host)
        after.findings = []
        found = after, after.take(name, *arguments)
        self._known[key] = found
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found


class World:
    """Hosts, live links, and what is under way on them."""

    def __init__(self, hosts: Sequence[Host], memory: Memory | None = None) -> None:
        self.hosts = list(hosts)
        self.wires: dict[tuple[int, int], tuple[Talk, ...]] = {}
        self.live: set[tuple[int, int]] = set()  # links as (lower, higher)
        self.memory = memory
        self.findings: list[tuple[str, str]] = []
        self.deliveries = 0
        self.voted: set[int] = set()  # peers that some person declared gone
        self.left: set[int] = set()  # peers whose person said goodbye
        self.gone: set[int] = set()  # peers that never come back
        self.damaged: set[int] = set()  # peers that lost part of their synced journal

    def branch(self) -> World:
        """The same world once more: what happens there does not happen here."""
        other = World(self.hosts, self.memory)
        other.wires, other.live, other.findings = dict(self.wires), set(self.live), list(self.findings)
        other.voted, other.left = set(self.voted), set(self.left)
        other.gone, other.damaged = set(self.gone), set(self.damaged)
        return other

    def alone(self) -> World:
        """A branch with hosts of its own, to be run without a memory."""
        other = self.branch()
        other.memory = None
        other.hosts = [copied(host) for host in self.hosts]
        for host in other.hosts:
            host.findings = []
        return other

    def key(self) -> tuple[Any, ...]:
        """Equal for worlds in the same state."""
        hosts = tuple(host.fingerprint() for host in self.hosts)
        wires = hash(tuple(sorted((link, hash(talks)) for link, talks in self.wires.items() if talks)))
        return hosts, wires, tuple(sorted(self.live))

    @property
    def is_broken(self) -> bool:
        """Whether a promise is broken; a node out of which an exception came goes on, so it is worth going on too."""
        return any(promise != "exception" for promise, _ in self.findings)

    @property
    def honest(self) -> list[Host]:
        return [host for host in self.hosts if host.is_honest]

    @property
    def liars(self) -> list[Host]:
        return [host for host in self.hosts if not host.is_honest]

    # ---- steps

    def steps(self) -> Iterator[Step]:
        """What may happen by itself now: messages arrive, workers finish, ends notice, players play."""
        for (a, b), talks in sorted(self.wires.items()):
            if talks:
                yield "deliver", a, b
        for host in self.hosts:
            if host.alive and host.works:
                yield "work", host.number
            if host.alive and host.replays:
                yield "replay", host.number
        yield from self.unnoticed()
        for host in self.hosts:
            if host.alive and host.choices():
                yield "play", host.number

    def unnoticed(self) -> list[Step]:
        """The ends of dead links that do not know it yet."""
        ends = ((h.number, p) for h in self.hosts if h.alive for p in sorted(h.linked))
        return [("notice", a, b) for a, b in ends if _pair(a, b) not in self.live]

    def do(self, step: Step) -> bool:
        """One step; False if it cannot happen here."""
        return bool(getattr(self, f"_{step[0]}")(*step[1:]))

    def _happen(self, number: int, name: str, *arguments: Any) -> None:
        host = self.hosts[number]
        was_alive = host.alive
        if self.memory is not None:
            host, out = self.memory.take(host, name, arguments)
            self.hosts[number] = host
        else:
            host.findings = []
            out = host.take(name, *arguments)
        self.findings += host.findings
        for what, peer, value in out:
            if what == "send":
                if _pair(number, peer) in self.live:
                    self.wires[number, peer] = (*self.wires.get((number, peer), ()), value)
            else:
                self._lose(number, peer)
                if peer in host.linked:
                    self._happen(number, "unlink", peer)
        if was_alive and not host.alive and name != "silence":
            self._die(number)

    def _die(self, number: int) -> None:
        for peer in range(len(self.hosts)):
            self._lose(number, peer)

    def _deliver(self, a: int, b: int) -> bool:
        talks = self.wires.get((a, b))
        if not talks:
            return False
        self.wires[a, b] = talks[1:]
        self.deliveries += 1
        if self.hosts[b].alive and a in self.hosts[b].linked:
            self._happen(b, "hear", a, talks[0])
        return True

    def _work(self, number: int) -> bool:
        return self._if(self.hosts[number].alive and self.hosts[number].works, number, "work")

    def _replay(self, number: int) -> bool:
        return self._if(self.hosts[number].alive and self.hosts[number].replays, number, "replay")

    def _play(self, number: int, pick: int = 0) -> bool:
        return self._if(self.hosts[number].choices(), number, "play", pick)

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
        self.live.discard(_pair(a, b))
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
        self.live.add(_pair(a, b))
        self._happen(a, "link", b)
        self._happen(b, "link", a)
        return True

    # ---- misfortunes

    def _crash(self, number: int, how: str = "synced") -> bool:
        if how in ("cut", "both"):
            self.damaged.add(number)
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
        host = self.hosts[number]
        wanted = [p for p in against if p in host.ledger.active and p != number]
        if not host.alive or (against and not wanted) or host.ledger.table.why_not_gone(wanted):
            return False
        self.voted.update(wanted)
        self._happen(number, "vote", *wanted)
        return True

    def _bye(self, number: int) -> bool:
        self.left.add(number)
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
        self.gone.add(number)
        return self._if(self.hosts[number].alive, number, "silence")


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


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
