"""One node of the network benchmark, a process of its own: `python bench_peer.py CONFIG` (JSON on the command line).

It speaks JSON lines: `ready`, then (after «go» on standard input) `turn` when the match is set up, `done` at the end.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import bench_games
import bench_minimal
import bench_plain
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from twisted.internet import reactor, stdio
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.protocols.basic import LineReceiver

from kontor_games.engine.core.digest import digest
from kontor_games.engine.core.stream import H
from kontor_games.net.ledger.facts import Grown
from kontor_games.net.links import link
from kontor_games.net.links.limits import LinkLimits
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.lockstep.effects import Completed
from kontor_games.net.lockstep.match import Match
from kontor_games.net.record.chain_records import MatchJournal
from kontor_games.net.sealed.algebra.group import prepare
from kontor_games.net.wire.identity import SIGNATURE_SIZE, Identity, verify
from kontor_games.net.wire.match_talk import Where, decode_talk
from kontor_games.net.wire.messages import AnyMessage, MatchTalk
from kontor_games.net.wire.terms import Terms, TermsPeer, TermsSeat, encode_terms

REST = 0.0005  # seconds between actions that are timed one by one
ANSWER_REST = 4 * REST  # until the other side acts: both may share one core, and this time is not its time
ECHO = bytes(32)  # a match id that no match has: a signed frame under it is checked and sent back


def identity(number: int) -> Identity:
    return Identity.of(Ed25519PrivateKey.from_private_bytes(H("bench", f"peer {number}", size=32)))


def make_terms(peers: int, options: dict[str, Any], salt: str) -> bytes:
    return encode_terms(
        Terms(
            version=1,
            game=bench_games.GAME_ID,
            rules=1,
            data=bytes(32),
            options={"goal": 1000, "pad": 0, "cards": 0, **options},
            peers=tuple(TermsPeer(identity(p).key, H("bench", f"{salt} {p}", size=16)) for p in range(peers)),
            seats=tuple(TermsSeat(p, f"Peer {p}", "bot") for p in range(peers)),
            recovery="majority",
            spectators=False,
            deck="sealed/1",
        )
    )


class BenchPeer:
    """A mesh and one match on it; `on_change` is called when the chain has grown or somebody has acknowledged it."""

    def __init__(
        self, number: int, peers: int, options: dict[str, Any], salt: str, directory: Path, plain: bool = False
    ) -> None:
        self.number = number
        self.peers = peers
        self.mesh: Any
        if plain:
            self.mesh = bench_plain.PlainMesh(reactor, identity(1 - number).key, self)
        else:
            self.mesh = Mesh(reactor, identity(number), self, limits=LinkLimits(), why_not_stranger=lambda key: None)
        self.terms = make_terms(peers, options, salt)
        self.signatures = [identity(p).sign("terms", self.terms) for p in range(peers)]
        self.directory = directory
        self.match: Match | None = None
        self.sent_bytes = 0
        self.on_echo: Any = None
        self.minimal: bench_minimal.Minimal | None = None
        self.on_change: Any = lambda: None
        self.on_heard: Any = lambda: None  # the match has dealt with a message
        pack = link.pack_frame

        def counting(body: bytes) -> bytes:
            data = pack(body)
            self.sent_bytes += len(data)
            return data

        link.pack_frame = counting  # type: ignore[attr-defined]

    def begin(self) -> None:
        who = identity(self.number)
        self.match = Match.begin(reactor, self.mesh, self.directory, who, self.terms, self.signatures)
        self.match.subscribe(self._on_effect)
        self.match.start()
        self.match.linked(*self.mesh.linked)

    def _on_effect(self, effect: object) -> None:
        if isinstance(effect, (Grown, Completed)):
            self.on_change()

    def peer_linked(self, peer: bytes) -> None:
        if self.match is not None:
            self.match.linked(peer)
        self.on_change()

    def peer_moved(self, peer: bytes) -> None:
        self.on_change()

    def peer_lost(self, peer: bytes, reason: str) -> None:
        if self.match is not None:
            self.match.lost(peer)

    def message_received(self, peer: bytes, message: AnyMessage) -> None:
        if isinstance(message, MatchTalk):
            if message.match == ECHO:
                if self.on_echo is not None:
                    self.on_echo()
                else:
                    self._answer(peer, message)
            elif message.match == bench_minimal.CONTROL:
                self.control(peer).heard(message.talk)
            elif self.match is not None:
                talk = decode_talk(message.talk)
                self.match.heard(peer, talk)
                if isinstance(talk, Where):
                    self.on_change()
                self.on_heard()

    def _answer(self, peer: bytes, message: MatchTalk) -> None:
        """The other half of the floor: check the signature, digest the state, send the frame back."""
        assert self.match is not None
        signature, raw = message.talk[:SIGNATURE_SIZE], message.talk[SIGNATURE_SIZE:]
        assert verify(peer, "frame", raw, signature)
        digest(self.match.session.ledger.state)
        self.mesh.send(peer, message)
        self.mesh.push()

    def control(self, other: bytes) -> bench_minimal.Minimal:
        """The minimal lockstep, from the first state of our match on."""
        if self.minimal is None:
            assert self.match is not None
            first = self.match.session.ledger.run.first
            journal = MatchJournal.create(self.directory / "control.journal", self.terms, self.signatures)
            self.minimal = bench_minimal.Minimal(self.mesh, other, first, identity(self.number), journal)
        return self.minimal

    @property
    def count(self) -> int:
        """Actions so far."""
        state = None if self.match is None else self.match.session.ledger.state
        return 0 if state is None else state.count

    def play_if_due(self) -> bool:
        """Count one further if it is our turn."""
        match = self.match
        if match is None:
            return False
        ledger = match.session.ledger
        turn = ledger.turn
        if turn is None or ledger.seat_peer(turn) != self.number:
            return False
        if match.session.is_committed:
            return False
        match.play([bench_games.Count(turn)])
        return True


def say(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


class Driven:
    """What a peer does by itself: it says when the first turn and the end have come, and plays when it is due."""

    def __init__(self, peer: BenchPeer, plays: bool, calm: int) -> None:
        self._peer, self._plays, self._calm = peer, plays, calm
        self._has_turn = self._is_done = self._is_waiting = False

    def changed(self) -> None:
        """Something happened in the match; the first turns are taken calmly."""
        match = self._peer.match
        if match is None:
            return
        ledger = match.session.ledger
        if not self._has_turn and ledger.turn is not None:
            self._has_turn = True
            say(event="turn", at=time.time())
        is_mine = ledger.turn == self._peer.number and self._peer.count < self._calm
        if self._plays and is_mine and not self._is_waiting:
            self._is_waiting = True
            reactor.callLater(ANSWER_REST, self._play)
        if not self._is_done and ledger.is_complete:
            self._is_done = True
            say(event="done", bytes=self._peer.sent_bytes, digest=ledger.digest.hex())

    def _play(self) -> None:
        self._is_waiting = False
        self._peer.play_if_due()

    def heard(self) -> None:
        """As fast as they come: with no turn of the reactor between a message and the answer."""
        if self._plays and self._peer.count >= self._calm:
            self._peer.play_if_due()


class PeerOrders(LineReceiver):
    """Orders from the benchmark, a line each."""

    delimiter = b"\n"

    def __init__(self, peer: BenchPeer) -> None:
        self._peer = peer

    def lineReceived(self, line: bytes) -> None:
        word, _, rest = line.decode().partition(" ")
        if word == "link":
            for number, address in json.loads(rest).items():
                self._peer.mesh.want(identity(int(number)).key, [address])
        elif word == "go":
            self._peer.begin()
        elif word == "linked":
            say(event="linked", count=len(self._peer.mesh.linked))
        elif word == "stop":
            self._peer.mesh.stop().addBoth(lambda _: reactor.stop())

    def connectionLost(self, reason: object = None) -> None:
        if reactor.running:
            reactor.stop()


def main() -> None:
    config = json.loads(sys.argv[1])
    bench_games.install()
    if config["cores"]:
        os.sched_setaffinity(0, config["cores"])
    with tempfile.TemporaryDirectory(dir=config["files"]) as folder:
        plain = config["plain"]
        peer = BenchPeer(config["number"], config["peers"], config["options"], config["salt"], Path(folder), plain)
        if plain:
            bench_plain.make_plain()  # the terms are signed: they were made before
        driven = Driven(peer, config["plays"], config["calm"])
        peer.on_change, peer.on_heard = driven.changed, driven.heard
        prepare(config["options"].get("cards", 0))  # as a node does when it starts
        stdio.StandardIO(PeerOrders(peer))
        listening = peer.mesh.listen(TCP4ServerEndpoint(reactor, 0, interface="127.0.0.1"))
        listening.addCallback(lambda port: say(event="ready", port=port.getHost().port))
        reactor.run()


if __name__ == "__main__":
    main()
