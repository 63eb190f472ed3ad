"""The vectors in docs/wire-sealed.md are what the code makes."""

from __future__ import annotations

import re
from pathlib import Path

from kontor_games.engine.core.chance import Deal, Mix, Rolled
from kontor_games.engine.core.stream import H
from kontor_games.net.sealed.bodies import encode

from .kit import Ring

DOC = Path(__file__).parents[3] / "docs" / "wire-sealed.md"


def vectors() -> dict[str, str]:
    ring = Ring(2)
    out = {"ctx": ring.table.peers.ctx.hex()}
    out["key of peer 0"] = encode(ring.players[0].make("key")).hex()
    rolled = ring.pump()
    assert isinstance(rolled, Rolled)
    out["roll 0"] = rolled.value.hex()
    ring.open(Mix(1, (3, 4), (), (0, 1)))
    out["mix of faces 3, 4 by peer 0, want 1"] = H("msg", encode(ring.players[0].make("mix")), size=32).hex()
    ring.pump()
    ring.open(Deal(2, ((0, None),)))
    out["shr of peer 1, slot 0, want 2"] = encode(ring.players[1].make("shr")).hex()
    ring.pump()
    out["face of slot 0"] = str(ring.answers[0].cards[0][2])  # type: ignore[union-attr]
    return out


def test_the_document_has_the_vectors_of_the_code() -> None:
    text = DOC.read_text(encoding="utf-8").rsplit("## Vectors", 1)[1]
    found = dict(re.findall(r"^(\S.*?)  +(\S+)$", text, flags=re.M))
    assert found == vectors()
