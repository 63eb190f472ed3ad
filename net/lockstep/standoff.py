"""What a node does when somebody signs another state than its own at the same tip.

Who lies and whose memory is bad cannot be told from outside, so nobody is blamed. What a node can find out is whether
*its own* memory is right: a clean process replays its chain. The rules:

1. Only what is signed counts as a claim. An unsigned difference makes us sign where we stand, which asks for the same.
2. From the first claim until the replay is done this node signs no turn and no draw, and takes none; it keeps them for
   later. Votes and goodbyes are taken and given all the while, so that nobody can hold the others here.
3. One replay for each accuser and match. An accuser whom it did not bear out is treated like a silent peer from then
   on, whatever it claims: turns wait for it until it agrees or is declared gone.
4. A replay that failed shows nothing. It is tried again after a while; we do not go on as if it had confirmed us.
5. Where the replay differs from our memory, the match is rebuilt from the chain. If even that does not give the
   replay's state, this process is not to be trusted, and stays stopped.

An attacker would claim falsely to stop a match (3 bounds that to one replay), to make a node replay for ever (3, 4), or
to have it take a wrong state (it never takes anything but what its own chain gives).
"""

from __future__ import annotations

from collections import deque

from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.wire.match_talk import Dump, Signed

from .effects import Diverged, Effect, ReplayClean, Send, WriteBundle
from .speaker import Speaker
from .standing import Standing

MAX_HELD_BACK = 256  # messages kept while the match is stopped
AGAIN_SECONDS = 10.0  # after a replay that failed


class Standoff:
    """The claims against our state, and what waits until our own replay has been heard."""

    def __init__(self, ledger: Ledger, peers: Standing, speaker: Speaker, version: str) -> None:
        self.is_on = False
        self.refuted: set[int] = set()  # accusers whom a replay of ours did not bear out
        self.accusers: set[int] = set()  # those the present replay will answer
        self.tip, self.state = b"", b""  # ours at the first claim
        self._ledger = ledger
        self._peers = peers
        self._speaker = speaker
        self._version = version
        self._dumped: set[int] = set()  # whose state has been written down for the report
        self._again_at: float | None = None
        self._held_back: deque[Signed] = deque(maxlen=MAX_HELD_BACK)

    def claim(self, peer: int, tip: bytes, theirs: bytes) -> list[Effect]:
        """Same chain, and somebody signed another state: show ours to all, and replay it in a clean process."""
        ledger = self._ledger
        if peer == ledger.me:
            return []  # we signed it before our memory was put right
        self._peers[peer].tip, self._peers[peer].digest = tip, theirs
        if peer not in ledger.active or not self._accuse(peer):
            return []
        effects: list[Effect] = [Diverged(peer, tip, ledger.digest, theirs)]
        dump = Dump(ledger.tip, self._version, ledger.state_bytes())
        effects += [Send(p, dump) for p in self._peers.linked]
        return [*effects, *self._speaker.say_where(), *self._speaker.sign_where(self._peers.linked), ReplayClean()]

    def _accuse(self, peer: int) -> bool:
        """Whether a replay has to be made for this claim."""
        if peer in self.refuted:
            return False
        self.accusers.add(peer)
        if self.is_on:
            return False
        self.is_on, self.tip, self.state = True, self._ledger.tip, self._ledger.state_bytes()
        return True

    def take_dump(self, source: int, dump: Dump) -> list[Effect]:
        """The state of somebody who differs, for the report; one for each peer, so that nobody fills our disk."""
        ours = self._ledger.state_bytes()
        is_asked = source in self.accusers or source in self.refuted
        if not is_asked or source in self._dumped or dump.tip != self._ledger.tip or dump.state == ours:
            return []
        self._dumped.add(source)
        return [WriteBundle(source, dump.tip, ours, dump.state, dump.versions)]

    @property
    def is_moot(self) -> bool:
        """Whether those who claimed another state are no longer at the table."""
        present = set(self._ledger.active) - self._ledger.entries.leaving
        return self.is_on and not self.accusers & present

    def hold(self, signed: Signed) -> None:
        """Keep a message for later."""
        self._held_back.append(signed)

    def failed(self, now: float) -> None:
        """The replay could not be made."""
        self._again_at = now + AGAIN_SECONDS

    def is_due(self, now: float) -> bool:
        """Whether to try a failed replay again; said once."""
        if self._again_at is None or now < self._again_at:
            return False
        self._again_at = None
        return True

    def end(self, is_confirmed: bool) -> list[Signed]:
        """Go on, with what has come meanwhile; `is_confirmed`: the replay gave the state that we had."""
        self.refuted |= self.accusers if is_confirmed else set()
        self.accusers = set()
        self.is_on, self._again_at = False, None
        waiting = list(self._held_back)
        self._held_back.clear()
        return waiting
