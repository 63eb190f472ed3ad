"""The matches of a node: those it plays, those it watches, and those that are over but still owe a peer something.

A match comes from a table (`begin`) or from the disk (`start`), and runs until the node stops. Its life on the disk:
`.journal` from its first moment, `.peers` with where its peers are called, `.lobby` if it began in one, `.done` once
all have signed its end and its transcript is written. A match with `.done` is not taken up again, unless one of its
peers comes and asks for it: then it is only served, so that the peer gets the signature it lacks. A full disk stops
none of this: what it refused is made good by the match itself, or when the node takes the match up again.

A match that this node watches has a `Spectator` and no file. Links come and go for all of them together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from twisted.logger import Logger

from kontor_games.engine.errors import KontorError, StoreError
from kontor_games.net.links.link import MOVES
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.links.paths import punch_address, relay_address
from kontor_games.net.lobbies.lobbies import Lobbies
from kontor_games.net.lobbies.lobby_book import Origin
from kontor_games.net.lockstep.effects import Completed, Effect, Ended
from kontor_games.net.lockstep.match import Match
from kontor_games.net.record.match_files import MatchFiles, match_name, network_matches
from kontor_games.net.system.private_file import write_private
from kontor_games.net.table import advice
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.match_talk import decode_talk
from kontor_games.net.wire.messages import PROTOCOL, Charter, Error, Spectate, Unspectate
from kontor_games.net.wire.messages import Ways as WaysTold
from kontor_games.net.wire.terms import Terms, decode_terms

from .handing_in_matches import LadderErrands
from .node_news import MatchBegun, MatchEnded, News, TableRefused
from .pair_ways import TELL_EVERY, WayBook, ways_of, without_holes
from .watching import Watching
from .ways_file import WaysFile

MatchMessage: TypeAlias = Spectate | Unspectate | WaysTold | Charter
_log = Logger(namespace="kontor.node")


def is_able(mesh: Mesh, peer: bytes) -> bool:
    """Whether a peer understands what is said in a match; an older node would take it for nonsense."""
    return mesh.protocol_of(peer) >= PROTOCOL


def _finish(match: Match) -> None:
    """Nothing is left to be done for a match: never before its file is on the disk, for nobody would write it then."""
    match.write_transcript()
    write_private(match.files.done, "")


def _sync_names(folder: Path) -> None:
    """Have the names of new files on the disk, which a sync of the files alone does not promise.

    A match whose files a power cut takes away after its first words are out would be begun again, with another secret
    and other words.
    """
    if os.name != "posix":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(f"{folder} cannot be synced: {error.strerror}") from None


class NodeMatches:
    """All matches of one node; calls come from the reactor thread."""

    def __init__(
        self,
        reactor: Any,
        directory: Path,
        identity: Identity,
        mesh: Mesh,
        lobbies: Lobbies,
        announce: Callable[[News], None],
    ) -> None:
        self.played: dict[bytes, Match] = {}
        self.watching = Watching(reactor, mesh, announce)
        self.ways: dict[bytes, WayBook] = {}  # by match: how the others reach each other
        self._reactor = reactor
        self._directory = directory
        self._identity = identity
        self._mesh = mesh
        self._lobbies = lobbies
        self._announce = announce
        self._ways_files: dict[bytes, WaysFile] = {}  # by match: where its peers are called
        self._tell_ways_at = 0.0
        self._complete: set[bytes] = set()  # matches of which everybody has signed the end
        self._errands = LadderErrands(reactor, identity, lobbies)  # rated matches on their way to a ladder
        self._origins: dict[bytes, Origin] = {}  # matches that began in a lobby
        self._finished: dict[str, tuple[Path, frozenset[bytes]]] = {}  # complete before the restart: their peers

    # ---- life

    def start(self) -> None:
        """Take up the matches that were not complete when the node stopped."""
        for files in network_matches(self._directory):
            if files.is_done:
                self._finished[files.name] = files.journal, WaysFile.of(files).peers
            else:
                self._resume(files)
            self._errands.resume(files)

    def _resume(self, files: MatchFiles) -> None:
        path = files.journal
        try:
            match = Match.resume(self._reactor, self._mesh, path, self._identity)
        except KontorError as error:
            _log.error("{path}: {error}", path=path.name, error=str(error))
            return
        except Exception:  # one match that cannot be taken up must not keep the others away
            _log.failure("{path} could not be taken up", path=path.name)
            return
        origin = Origin.read(files.lobby)
        if origin is not None:
            self._origins[match.id] = origin
            self._lobbies.open_again(origin).tables.add(origin.table)
        self._run(match, WaysFile.of(files), {}, None)

    def _serve_finished(self, peer: bytes, match: bytes) -> None:
        """A peer of a match that is complete here may still lack our final signature: take the match up for it."""
        path, peers = self._finished.get(match_name(match), (None, frozenset()))
        if path is None or peer not in peers or match in self.played:
            return
        del self._finished[path.stem]
        try:
            served = Match.resume(self._reactor, self._mesh, path, self._identity)
        except KontorError as error:
            _log.error("{path}: {error}", path=path.name, error=str(error))
            return
        served.is_served_only = True
        self.played[served.id] = served
        served.start()
        served.linked(*self._able())

    def begin(
        self, table_id: str, raw: bytes, signatures: tuple[bytes, ...], addresses: Mapping[bytes, tuple[str, ...]]
    ) -> Match | None:
        """A match that was agreed at a table, still to be run; StoreError if the disk refuses it.

        None if it was begun before, or if we have no seat in it; then it is watched.
        """
        identity = match_id(raw)
        if identity in self.played or MatchFiles.of(self._directory, identity).journal.exists():
            return None  # a lobby tells of a start again to whoever comes back
        terms = decode_terms(raw)
        if terms.index_of(self._identity.key) is None:
            self._look_on(table_id, identity, terms, addresses)
            return None
        match = Match.begin(self._reactor, self._mesh, self._directory, self._identity, raw, signatures)
        self._write(match, lambda: _sync_names(self._directory))
        return match

    def run(self, match: Match, table_id: str, addresses: Mapping[bytes, tuple[str, ...]]) -> None:
        """Run a match that has just begun."""
        origin = self._lobbies.origin_of(table_id)
        if origin is not None:
            self._origins[match.id] = origin
            self._write(match, lambda: origin.write(match.files.lobby))
        self._run(match, WaysFile.of(match.files), addresses, table_id)

    def _run(
        self, match: Match, ways: WaysFile, addresses: Mapping[bytes, Sequence[str]], table_id: str | None
    ) -> None:
        self.played[match.id] = match
        self._ways_files[match.id] = ways
        ways.claimed.update({key: tuple(found) for key, found in addresses.items()})
        ways.write()
        self._announce(MatchBegun(match.id, table_id))
        match.subscribe(lambda effect: self._on_effect(match, effect))
        match.start()
        for peer in match.session.ledger.terms.peers:
            if peer.key != self._identity.key:
                sure = (*ways.proven.get(peer.key, ()), *self._through_lobby(match.id, peer.key))
                self._mesh.want(peer.key, sure, ways.claimed.get(peer.key, ()))
        match.linked(*self._able())  # all at once: nobody needs what is said on the way from none to all

    def _on_effect(self, match: Match, effect: Effect) -> None:
        """What a match means for the node; whoever shows it to people has a subscription of its own."""
        origin = self._origins.get(match.id)
        if origin is not None:
            self._write(match, lambda: self._errands.told(match, origin, effect))
        if isinstance(effect, Ended):
            if origin is not None:
                self._lobbies.open_again(origin).over(origin, match.id)
            self._announce(MatchEnded(match.id))
        elif isinstance(effect, Completed):
            self._complete.add(match.id)
            self._write(match, lambda: _finish(match))
            if origin is not None:
                self._lobbies.open_again(origin).finished(origin, match.id, "complete")

    def _write(self, match: Match, write: Callable[[], object]) -> None:
        """Write something down about a match; it goes on if the disk refuses."""
        try:
            write()
        except StoreError as error:
            _log.warn("{match}: {error}", match=match.files.name, error=str(error))

    def stop(self) -> None:
        """Let go of all; they can be taken up again."""
        for match in self.played.values():
            match.stop()
        self._errands.stop()

    # ---- watching

    def _look_on(self, table_id: str, match: bytes, terms: Terms, addresses: Mapping[bytes, tuple[str, ...]]) -> None:
        """We are at the table without a seat: watch what has begun there, if that is allowed."""
        if not terms.spectators:
            self._announce(TableRefused(table_id, "start", "the match has begun, and nobody else may watch it"))
            return
        origin = self._lobbies.origin_of(table_id)
        if origin is not None:
            self._origins[match] = origin  # its relay may be the only way
        keys = [peer.key for peer in terms.peers]
        near = [key for key in keys if key in self._mesh.linked]
        ways = {key: (*addresses.get(key, ()), *self._through_lobby(match, key)) for key in keys}
        self.watching.watch(match, near[0] if near else max(keys, key=lambda key: len(ways[key])), ways, table_id)

    # ---- links

    def linked(self, peer: bytes) -> None:
        """A peer is reached."""
        for ways in self._ways_files.values():
            ways.found(peer, self._mesh.proven(peer))
        if is_able(self._mesh, peer):
            self._each(lambda match: match.linked(peer))
        self.watching.linked(peer)

    def lost(self, peer: bytes) -> None:
        """A peer is not reached now."""
        self._each(lambda match: match.lost(peer))
        self.watching.lost(peer)

    def _able(self) -> list[bytes]:
        return [peer for peer in self._mesh.linked if is_able(self._mesh, peer)]

    def _each(self, tell: Callable[[Match], None]) -> None:
        """Tell every match of a link; one that fails keeps it from none of the others."""
        for match in list(self.played.values()):
            try:
                tell(match)
            except Exception:
                _log.failure("{match}: a link could not be taken in", match=match.id.hex()[:8])

    def tick(self, now: float) -> None:
        """Time passes."""
        self.watching.tick(now)
        if now >= self._tell_ways_at:
            self._tell_ways_at = now + TELL_EVERY
            self._tell_ways()

    def _tell_ways(self) -> None:
        """Let the peers of every match know whom we reach, so that each of them sees the whole grid."""
        links = self._mesh.links()
        understand = {link.peer for link in links if link.about is not None}
        moves = {link.peer for link in links if MOVES in link.features}
        for match in self.played.values():
            indexes = {peer.key: number for number, peer in enumerate(match.session.ledger.terms.peers)}
            if match.is_served_only:
                continue
            told = ways_of(links, indexes)
            for peer in sorted(understand & set(indexes)):
                self._mesh.send(peer, WaysTold(match.id, told if peer in moves else without_holes(told)))

    # ---- what peers say

    def received(self, peer: bytes, message: MatchMessage) -> None:
        """A node said something around a match; RemoteError ends its link."""
        match message:
            case Spectate(match=match):
                self._spectate(peer, match)
            case Unspectate(match=match):
                if match in self.played:
                    self.played[match].spectators.discard(peer)
            case WaysTold(match=match, ways=ways):
                index = self.played[match].session.ledger.terms.index_of(peer) if match in self.played else None
                if index is not None:
                    self.ways.setdefault(match, WayBook()).heard(index, ways, self._reactor.seconds())
            case Charter(raw=raw, sigs=sigs):
                self.watching.charter(peer, raw, sigs)

    def talk_received(self, peer: bytes, match: bytes, raw: bytes) -> None:
        """A node said something in a match; RemoteError ends its link."""
        if not is_able(self._mesh, peer):
            return  # the grid says that this node has to be updated before the match goes on
        self._serve_finished(peer, match)
        if match in self.played:
            self.played[match].heard(peer, decode_talk(raw))
        elif match in self.watching:
            self.watching.heard(peer, match, decode_talk(raw))

    def _spectate(self, peer: bytes, match: bytes) -> None:
        found = self.played.get(match)
        if not is_able(self._mesh, peer):
            self._mesh.send(peer, Error("spectate", advice.older_watcher(self._mesh.protocol_of(peer))))
            return
        if found is None or not found.session.ledger.terms.spectators:
            self._mesh.send(peer, Error("spectate", "there is no such match here, or it is played without spectators"))
            return
        found.watch(peer)
        self._mesh.send(peer, Charter(found.session.ledger.terms_raw, found.signatures))

    # ---- who and how

    @property
    def players(self) -> set[bytes]:
        """Everybody who plays with us now."""
        return {peer.key for match in self.played.values() for peer in match.session.ledger.terms.peers}

    def owes(self, peer: bytes) -> bool:
        """Whether a match needs a link to this peer: it goes on, or its end is not signed by all, or we watch it there.

        Whoever lacks something of a match that is complete here calls by itself, and is let in.
        """
        unfinished = (
            match for id, match in self.played.items() if id not in self._complete and not match.is_served_only
        )
        is_peer = any(match.index(peer) is not None for match in unfinished)
        return is_peer or self.watching.needs(peer)

    def is_over(self, match: bytes) -> bool:
        """Whether a match that we play or watch is over."""
        return self.watching.is_over(match) or (match in self.played and not self.is_going_on(match))

    def played_before(self, key: bytes) -> bool:
        """Whether this key played a match with us that was complete before the restart."""
        return any(key in peers for _, peers in self._finished.values())

    @property
    def has_spectators(self) -> bool:
        """Whether strangers may watch one of the matches."""
        return any(match.session.ledger.terms.spectators for match in self.played.values())

    def is_going_on(self, match: bytes) -> bool:
        """Whether we play this match and it is not over."""
        found = self.played.get(match)
        return found is not None and not found.session.ledger.is_over

    def origin_of(self, match: bytes) -> Origin | None:
        """The table of a lobby at which the match began, None if it began elsewhere."""
        return self._origins.get(match)

    def can_relay(self, match: bytes) -> bool:
        """Whether the match began in a lobby, whose relay can help."""
        return match in self._origins

    def _through_lobby(self, match: bytes, peer: bytes) -> tuple[str, ...]:
        """The smaller key is the TLS server in the relay and the client through a hole; clients call."""
        origin = self._origins.get(match)
        if origin is None:
            return ()
        is_greater = self._identity.key > peer
        return (relay_address(origin.table, peer) if is_greater else punch_address(origin.table, peer),)
