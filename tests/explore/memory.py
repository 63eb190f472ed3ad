"""What became of hosts: each state of a host once, and each thing that happened to it in that state run once.

What happens to one host does not depend on the others. So the states of a search are made of few states of single
hosts, in many combinations. Here each state of a host is known by one small object, a `Local`, and each message by a
number. A world that has a memory (`World.within`) holds these instead of hosts and messages: its branches are a few
references, its key is a tuple, and a step that some other world took before costs a look into a dictionary. Nothing is
left out by that: the same states are reached in the same orders as with hosts of their own, which a test shows.

The hosts themselves are large, and a search has many. Only those used last are kept. Any other is made again when it
is needed, by doing to the last kept one before it what was done to it; it must then be in the state that is known.

A memory belongs to one start and one set of liars: what counts as a finding depends on who lies.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from kontor_games.net.wire.match_talk import Talk

from .host import Host
from .snapshot import copied

Out: TypeAlias = tuple[str, int, Any]  # ("send", peer, number of the talk), ("cut", peer, reason)
HOSTS = 4000  # that are kept as they are
CHANGES = 1_500_000  # known: a memory with more is given up for a new one


class Change(NamedTuple):
    """What became of a host: its state, what it says, and what was found meanwhile."""

    after: Local
    out: tuple[Out, ...]
    findings: tuple[tuple[str, str], ...]


class Local:
    """One state of one host: what a world asks of it, and what is known to follow from it."""

    __slots__ = (
        "after",
        "alive",
        "can_play",
        "fingerprint",
        "is_honest",
        "linked",
        "memory",
        "number",
        "origin",
        "replays",
        "works",
    )

    def __init__(self, memory: Memory, host: Host, origin: tuple[Local, tuple[Any, ...]] | None) -> None:
        self.memory = memory
        self.number = host.number
        self.is_honest = host.is_honest
        self.alive = host.alive
        self.linked = frozenset(host.linked)
        self.works = bool(host.works)
        self.replays = host.replays
        self.can_play = host.can_play
        self.fingerprint = host.fingerprint
        self.origin = origin  # the state before, and what happened; None: of the start
        self.after: dict[tuple[Any, ...], Change] = {}

    def votable(self, against: Sequence[int]) -> list[int] | None:
        """As a host in this state says."""
        return self.memory.host(self).votable(against)


class Memory:
    """All states of hosts that a search has met."""

    def __init__(self, hosts: int = HOSTS) -> None:
        self.run = 0  # by real sessions
        self.made_again = 0
        self._most = hosts
        self._known: dict[tuple[int, bytes], Local] = {}
        self._hosts: OrderedDict[Local, Host] = OrderedDict()
        self._first: dict[Local, Host] = {}  # of starts: kept
        self._talks: list[Talk] = []
        self._numbers: dict[Talk, int] = {}

    @property
    def is_large(self) -> bool:
        return self.run > CHANGES

    def local(self, host: Host) -> Local:
        """The state of a host at the start."""
        known = self._known.get((host.number, host.fingerprint))
        if known is None:
            known = self._known[host.number, host.fingerprint] = Local(self, host, None)
            self._first[known] = host
        return known

    def number(self, talk: Talk) -> int:
        """The number of what is said: equal for equal talk."""
        known = self._numbers.get(talk)
        if known is None:
            known = self._numbers[talk] = len(self._talks)
            self._talks.append(talk)
        return known

    def talk(self, number: int) -> Talk:
        return self._talks[number]

    def host(self, local: Local) -> Host:
        """A host in this state, not to be changed."""
        found = self._first.get(local) or self._hosts.get(local)
        if found is None:
            found = self._made_again(local)
            self._keep(local, found)
        elif local.origin is not None:
            self._hosts.move_to_end(local)
        return found

    def take(self, local: Local, what: tuple[Any, ...]) -> Change:
        """What follows from this; `what`: its name and arguments."""
        found = local.after.get(what)
        if found is None:
            self.run += 1
            host = copied(self.host(local))
            out, findings = self._happen(host, what)
            state = host.number, host.fingerprint
            known = self._known.get(state)
            if known is None:
                known = self._known[state] = Local(self, host, (local, what))
                self._keep(known, host)
            found = local.after[what] = Change(known, out, findings)
        return found

    def _happen(self, host: Host, what: tuple[Any, ...]) -> tuple[tuple[Out, ...], tuple[tuple[str, str], ...]]:
        name, *arguments = what
        if name == "hear":
            arguments[1] = self._talks[arguments[1]]
        host.findings = []
        said = host.take(name, *arguments)
        out = tuple([(kind, peer, self.number(value) if kind == "send" else value) for kind, peer, value in said])
        return out, tuple(host.findings)

    def _keep(self, local: Local, host: Host) -> None:
        self._hosts[local] = host
        if len(self._hosts) > self._most:
            self._hosts.popitem(last=False)

    def _made_again(self, local: Local) -> Host:
        todo: list[tuple[Any, ...]] = []
        before = local
        while before not in self._hosts and before not in self._first:
            assert before.origin is not None
            before, what = before.origin
            todo.append(what)
        host = copied(self._hosts.get(before) or self._first[before])
        for what in reversed(todo):
            self._happen(host, what)
        self.made_again += 1
        assert host.fingerprint == local.fingerprint, "the same things led to another state"
        return host
