"""Handing a match file to a lobby's ladder: piece after piece, each answered before the next."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from twisted.internet.defer import Deferred

from kontor_games.engine.errors import RemoteError
from kontor_games.net.wire.ladder_messages import MAX_PIECE, HandIn, LadderWord


def hand_in(ask: Callable[[HandIn], Deferred[Any]], data: bytes) -> Deferred[LadderWord]:
    """Fires with the ladder's last word: the file is safe there, or was known before."""
    file = blake2b(data, digest_size=32).digest()

    def send(offset: int) -> Deferred[Any]:
        piece = data[offset : offset + MAX_PIECE]
        return ask(HandIn(file, len(data), offset, piece)).addCallback(answered, offset + len(piece))

    def answered(word: Any, sent: int) -> Any:
        if not isinstance(word, LadderWord):
            raise RemoteError("the lobby did not say what became of the file")
        if word.state == "more" and sent < len(data):
            return send(sent)
        if word.state == "more":
            raise RemoteError("the lobby wants more of the file than there is")
        return word

    return send(0)
