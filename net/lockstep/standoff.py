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

from kontor_games.net.wire.match_talk import Signed

MAX_HELD_BACK = 256  # messages kept while the match is stopped
AGAIN_SECONDS = 10.0  # after a replay that failed


class Standoff:
    """The claims against our state, and what waits until our own replay has been heard."""

    def __init__(self) -> None:
        self.is_on = False
        self.refuted: set[int] = set()  # accusers whom a replay of ours did not bear out
        self.accusers: set[int] = set()  # those the present replay will answer
        self.tip, self.state = b"", b""  # ours at the first claim
        self._again_at: float | None = None
        self._held_back: deque[Signed] = deque(maxlen=MAX_HELD_BACK)

    def accuse(self, peer: int, tip: bytes, state: bytes) -> bool:
        """A peer claims another state than ours at this tip; whether a replay has to be made for that."""
        if peer in self.refuted:
            return False
        self.accusers.add(peer)
        if self.is_on:
            return False
        self.is_on, self.tip, self.state = True, tip, state
        return True

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
