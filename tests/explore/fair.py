"""The fair end of a schedule: what was lost is known, disks work, honest people act sensibly. Then liveness is judged.

P5: the honest peers' match goes on or ends, with one chain among them, whatever the adversary did; nobody honest was
put out unless a person asked for it. P6: a link that was lost stays lost here, as long as the honest peers are
connected without it. Limits that the promise states are not findings: they are counted by their words.
"""

from __future__ import annotations

import itertools
import random

from .host import Host
from .world import World

ROUND = 0.5  # seconds
ROUNDS = 200
PATIENCE = 24  # rounds without progress before people put somebody out
RESIGNED = 120  # rounds without progress before votes that found no majority are taken back
FRAMES = 3  # of honest players after the last misfortune: the match goes on
TURNS = 2  # that are played in one round
MOST = 4000  # deliveries in one round: more is a storm


class Fair:
    """One fair phase; its only chance is the order of deliveries and when ends notice."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self._rng = random.Random(seed)
        self._notices: dict[tuple[int, int], int] = {}
        self._idle = 0
        self._liar = self._rng.choice(("stays", "silent", "lost"))  # what the adversary does from now on

    def run(self) -> str:
        """How it went: a word for the counts; findings are in the world."""
        self._recover()
        best = self._progress()
        frames = self._frames()
        for number in range(ROUNDS):
            if not self._settle(number):
                return self._stuck("a storm of messages does not end")
            if self.world.is_broken:
                return "found"
            if self._is_done(frames):
                return self._judge("goes on")
            now = self._progress()
            self._idle = 0 if now > best else self._idle + 1
            best = max(best, now)
            self._people()
            for host in self.world.hosts:
                self.world.do(("tick", host.number, ROUND))
        if self._frames() >= frames + FRAMES and not self._have_parted(self._players()):
            return self._judge("goes on slowly")  # somebody makes the others wait for every acknowledgement
        return self._stuck("the match stands still")

    # ---- what happens

    def _recover(self) -> None:
        world = self.world
        for host in world.hosts:
            if host.alive:
                host.fuse, host.disk.is_full = None, False
        for host in world.honest:
            if not host.alive and world.do(("restart", host.number)):
                for other in world.hosts:
                    world.do(("link", host.number, other.number))
        self._connect()
        for liar in world.liars if self._liar != "stays" else ():
            if not liar.alive:
                continue
            world.do(("silence", liar.number))
            if self._liar == "lost":
                world._die(liar.number)

    def _connect(self) -> None:
        """Honest players are connected, if need be by dialling again; a lost link that is not needed stays lost.

        Nodes dial each other until all know that somebody has left.
        """
        players = self._players()
        leaving = [h for h in self.world.honest if h.alive and any(h.number in p.ledger.active for p in players)]
        up = [host.number for host in self.world.hosts if host in players or host in leaving]
        for number in up[1:]:
            if number not in self._reach(up[0], up):
                for other in up:
                    self.world.do(("link", number, other))

    def _reach(self, first: int, numbers: list[int]) -> set[int]:
        reached, edge = {first}, [first]
        while edge:
            here = edge.pop()
            near = [n for n in numbers if n not in reached and (min(here, n), max(here, n)) in self.world.live]
            reached.update(near)
            edge += near
        return reached

    def _settle(self, number: int) -> bool:
        """Everything under way arrives, and whoever is to act plays."""
        world, rng = self.world, self._rng
        for _, a, b in world.unnoticed():
            when = self._notices.setdefault((a, b), number + rng.randrange(16))
            if number >= when:
                world.do(("notice", a, b))
        self._connect()
        turns = 0
        for _ in range(MOST):
            steps = [step for step in world.steps() if step[0] != "notice"]
            if not steps or world.is_broken:
                return True
            urgent = [step for step in steps if step[0] != "play"]
            if not urgent:
                if turns == TURNS or not self._play(rng.choice(steps)[1]):
                    return True
                turns += 1
                continue
            world.do(rng.choice(urgent))
        return False

    def _play(self, number: int) -> bool:
        """A turn is played; False if it waits for somebody, or people have seen enough."""
        host = self.world.hosts[number]
        self.world.do(("play", number, self._rng.randrange(1000)))
        return not host.session.is_committed

    def _people(self) -> None:
        """What sensible people do when nothing moves: first without those who are gone, then without the adversary."""
        world = self.world
        liars = {liar.number for liar in world.liars}
        for liar in liars if self._idle == 3 * PATIENCE else ():
            world.do(("silence", liar))
            world._die(liar)
        if self._idle >= PATIENCE and self._idle % 8 == 0:
            gone = {p for p in self._silent() if any(p in host.ledger.active for host in self._players())}
            if not liars or (gone and self._idle < 2 * PATIENCE):
                self._vote_out(gone)
            else:
                self._vote_out(gone | liars)
        if self._idle == RESIGNED:
            for host in world.honest:
                if host.alive and host.ledger.entries.departures.ballots().get(host.number):
                    world.do(("vote", host.number))

        if self._idle > RESIGNED and self._idle % 8 == 0 and not liars:
            self._vote_out(self._owed())

    def _owed(self) -> set[int]:
        """Those for whose departure a node has given its shares: it tells its player that it waits for that."""
        given = (gone for host in self._players() for gone, _ in host.ledger.entries.departures.given_for())
        return set(next(given, ()))

    def _silent(self) -> set[int]:
        """Those who are gone, and honest nodes that say why they cannot go on.

        Such a node can only read; or its memory is damaged, so that nobody takes the goodbye of its player.
        """
        readers = {host.number for host in self.world.hosts if host.alive and host.session.reads_only}
        differing = {p for host in self._players() for p in host.session._standoff.refuted}
        return self.world.gone | readers | (self.world.left & differing)

    def _vote_out(self, unwanted: set[int]) -> None:
        for host in self.world.honest:
            ballot = set(host.ledger.entries.departures.ballots().get(host.number, ())) if host.alive else set()
            others = unwanted - {host.number}
            if host.alive and others and not others & set(host.ledger.active) <= ballot:
                self.world.do(("vote", host.number, *sorted(others)))

    # ---- how it went

    def _players(self) -> list[Host]:
        """The honest peers that are still at the table, as far as any honest peer there knows."""
        honest = [host for host in self.world.honest if host.alive and host.number not in self.world.left]
        return [h for h in honest if all(h.number in o.ledger.active for o in honest if self._counts(o, honest))]

    def _counts(self, host: Host, honest: list[Host]) -> bool:
        """Whether a host's word on who is at the table counts: not that of one that was voted out itself."""
        others = [o for o in honest if o is not host]
        return host.number not in self.world.voted or any(host.number in o.ledger.active for o in others)

    def _frames(self) -> int:
        return min((self._frames_of(host) for host in self._players()), default=0)

    def _frames_of(self, host: Host) -> int:
        return sum(item.kind == "frame" and item.parts[0].peer not in host.liars for item in host.ledger.items)

    def _progress(self) -> tuple[int, int, int]:
        players = self._players()
        complete = sum(host.ledger.is_complete for host in players)
        least = min((host.ledger.position for host in players), default=0)
        return complete, least, sum(host.ledger.position for host in players)

    def _is_done(self, frames: int) -> bool:
        players = self._players()
        if len({host.ledger.tip for host in players}) > 1 or len({host.ledger.digest for host in players}) > 1:
            return False
        if any(host.session.is_committed or host.session.is_stopped for host in players):
            return False
        return all(h.ledger.is_complete or h.ended for h in players) or self._frames() >= frames + FRAMES

    def _judge(self, word: str) -> str:
        world = self.world
        asked = world.voted | world.left | world.gone
        for host in world.honest:
            missing = [p for p in range(len(world.hosts)) if p not in host.ledger.active and p not in asked]
            wrong = [p for p in missing if p not in host.liars]
            if wrong and self._is_outnumbered(host, len(wrong)):
                word = "limit: honest players left, and the liars were a majority of the rest"
            elif host.alive and wrong and host.number not in asked:
                world.findings.append(("P5", f"node {host.number} goes on without honest peers {wrong}; nobody asked"))
        return word

    @staticmethod
    def _is_outnumbered(host: Host, missing: int) -> bool:
        """Whether more than half of those who were still at the table when so many were put out are liars."""
        active = host.ledger.active
        liars = sum(peer in host.liars for peer in active)
        return 2 * liars > len(active) + missing

    def _stuck(self, why: str) -> str:
        limit = self._limit()
        if limit:
            return limit
        players = self._players()
        stands = ", ".join(
            f"{h.number} at {h.ledger.position} {h.ledger.tip.hex()[:6]}"
            f"{' stopped' if h.session.is_stopped else ''} with {h.ledger.active}"
            for h in players
        )
        if self._have_parted(players):
            self.world.findings.append(("P5", f"honest peers have parted: {stands}"))
            return "parted"
        promise = "P5" if self.world.liars else "P6"
        self.world.findings.append((promise, f"{why}: {stands}"))
        return "stuck"

    def _have_parted(self, players: list[Host]) -> bool:
        """Whether two of them hold chains of which none is the beginning of the other."""
        chains = [[part.raw for item in host.ledger.items for part in item.parts] for host in players]
        return any(a[: len(b)] != b[: len(a)] for a, b in itertools.combinations(chains, 2))

    def _has_lost_more_than_others_have(self, host: Host) -> bool:
        """Whether it signed something, and lost it, for a tip that no honest peer has any more.

        All of them had acknowledged that tip: so each of them has lost what it had not synced.
        """
        tips = host.session._pledges.lost_tips()
        others = [other for other in self.world.honest if other.alive and other is not host]
        return any(all(other.ledger.position_of(tip) is None for other in others) for tip in tips)

    def _limit(self) -> str | None:
        """The limit that P5 states, if the match stands still because of it.

        What several damaged journals held may be in none of them any more: then nobody can go on from there.
        """
        if len(self.world.damaged) > 1:
            return "limit: several journals are damaged"
        if any(self._has_lost_more_than_others_have(host) for host in self._players()):
            return "limit: a damaged journal, and power cuts took the same part of the chain from the others"
        waiting = self.world.left | self._silent() | {host.number for host in self.world.hosts if not host.alive}
        for host in self._players():
            reason = host.ledger.table.why_not_gone([p for p in waiting if p in host.ledger.active] or [])
            if reason and waiting & set(host.ledger.active):
                return f"limit: {reason}"
        return None
