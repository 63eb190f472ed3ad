"""The process of the bots: plays seats through the node's API, each with a token that is good for its seat alone.

Orders come on standard input, one JSON object per line; the end of input ends the process.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import sys
import threading
import time
from typing import Any

import msgspec

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.clients.node.node_link import NodeLink, Refused

RETRY_SECONDS = (0.2, 1.0, 3.0, 10.0)


class Seat(threading.Thread):
    """One seat of one match."""

    def __init__(self, port: int, order: dict[str, Any]) -> None:
        super().__init__(daemon=True, name=f"{order['match'][:8]}/{order['seat']}")
        self.match = str(order["match"])
        self.seat = int(order["seat"])
        self._link = NodeLink(port, order["token"])
        self._bot = bots.make(order["kind"], bytes.fromhex(order["seed"]))
        self._dropped = False

    def drop(self) -> None:
        """The match needs no bot now."""
        self._dropped = True
        self._link.close()  # it may be waiting for an event

    def run(self) -> None:
        """Play until the match is over or the token is good no longer."""
        failures = 0
        while not self._dropped:
            try:
                for event in self._link.events():
                    failures = 0
                    if self._dropped or (self._concerns_us(event) and self._play()):
                        return
            except Refused as error:
                if error.status in (401, 403, 404):
                    return
            except (OSError, http.client.HTTPException):
                pass
            self._link.close()
            time.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
            failures += 1

    def _concerns_us(self, event: dict[str, Any]) -> bool:
        """Whether to look at the position: not while the match goes on and another seat is to act."""
        goes_on = event["kind"] == "match" and event["status"] in ("playing", "waiting")
        return not goes_on or event["to_act"] == self.seat

    def _play(self) -> bool:
        """Act while it is this seat's turn; True when the match is over."""
        while True:
            position = self._link.get(f"matches/{self.match}/position")
            engine.load(position["game"])  # before our first turn: nobody has to wait for it then
            if position["status"] == "over":
                return True
            if position["to_act"] != position["seat"] or position["status"] == "stopped":
                return False
            try:
                self._link.post(f"matches/{self.match}/play", {"texts": self._turn(position)})
            except Refused as error:
                if error.status != 409:
                    raise
                return False  # the match went on meanwhile, or waits for a peer; an event will come

    def _turn(self, position: dict[str, Any]) -> list[str]:
        """Actions up to the first reveal or another seat's decision: one frame, like a person's draft."""
        game = engine.load(position["game"])
        seat: int = position["seat"]
        state = _state(game, position)
        known = dict(position["known"])
        texts: list[str] = []
        while engine.to_act(game, state) == seat:
            action = self._bot.choose(game, state, known, seat, position["ply"] + len(texts))
            for slot, _ in game.opens(state, action):
                known.pop(slot, None)
            texts.append(game.notation.say(state, action))
            state, _ = engine.advance(game, state, action)
        return texts


def _state(game: Any, position: dict[str, Any]) -> Any:
    # The class of a game's states is the one of its first state.
    first = game.begin(position["options"], position["seats"], bytes(32))
    return msgspec.msgpack.decode(base64.b64decode(position["state"]), type=type(first))


def main() -> None:
    """Take orders until there are no more."""
    port = int(sys.argv[1])
    seats: dict[tuple[str, int], Seat] = {}
    for line in sys.stdin:
        order = json.loads(line)
        if order.get("drop"):
            for key in [key for key in seats if key[0] == order["match"]]:
                seats.pop(key).drop()
            continue
        seat = Seat(port, order)
        seats[seat.match, seat.seat] = seat
        seat.start()
    os._exit(0)  # the threads may sit in a read; nothing of theirs needs saving


if __name__ == "__main__":
    main()
