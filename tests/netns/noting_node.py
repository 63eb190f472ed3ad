"""A node that also notes every message of its matches that it sends or gets, for tests that count them.

`python -m tests.netns.noting_node OPTIONS…` is `kontor node run OPTIONS…`. `messages.notes` in its home gets a line for
each: whether it was sent or heard, when (the clock is the same for all processes of this machine), by whom or to whom,
which kind of way was in use, and a digest of the message. Nothing else about the node is changed.
"""

from __future__ import annotations

import sys
import time
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from kontor_games.clients.entry import main
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.links.paths import path_of
from kontor_games.net.wire.messages import AnyMessage, MatchTalk, encode

NOTES = "messages.notes"


class Note(NamedTuple):
    """One message at one end."""

    verb: str  # sent or heard
    at: float
    peer: str
    way: str
    digest: str


def read_notes(home: Path) -> list[Note]:
    """What a node noted; a line that is cut off does not count."""
    found = []
    for line in (home / NOTES).read_text(encoding="ascii").splitlines(keepends=True):
        if line.endswith("\n"):
            verb, at, peer, way, digest = line.split()
            found.append(Note(verb, float(at), peer, way, digest))
    return found


def note_messages(home: Path) -> None:
    """From now on every mesh of this process notes."""
    home.mkdir(parents=True, exist_ok=True)
    file = (home / NOTES).open("a", encoding="ascii", buffering=1)

    def note(verb: str, peer: bytes, way: str, message: AnyMessage) -> None:
        if isinstance(message, MatchTalk):
            digest = blake2b(encode(message), digest_size=12).hexdigest()
            file.write(f"{verb} {time.monotonic():.6f} {peer.hex()} {way} {digest}\n")

    send, received = Mesh.send, Mesh.link_received

    def noted_send(self: Mesh, peer: bytes, message: AnyMessage) -> bool:
        way = self.link_to(peer)
        done = send(self, peer, message)
        if done and way is not None:
            note("sent", peer, way.path.name, message)
        return done

    def noted_received(self: Mesh, link: Any, message: AnyMessage) -> None:
        note("heard", link.peer, path_of(link.address).name, message)
        received(self, link, message)

    Mesh.send, Mesh.link_received = noted_send, noted_received  # type: ignore[method-assign]


if __name__ == "__main__":
    note_messages(Path(sys.argv[sys.argv.index("--home") + 1]))
    sys.argv[1:1] = ["node", "run"]
    main()
