"""The process of the bots: plays seats through the node's API, each with a token that is good for its seat alone.

Orders come on standard input, one JSON object per line; the end of input ends the process. The only orders that are
answered, on standard output, are those of hints.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.clients.bots.expert.workers import Workers
from kontor_games.clients.node.node_connection import FOR_GOOD, LOST, PAUSES, NodeConnection, Restarted
from kontor_games.clients.node.node_link import NodeLink, Refused

from .bot_hints import HintThread
from .states import read_position


class Seat(threading.Thread):
    """One seat of one match."""

    def __init__(self, port: int, order: dict[str, Any], workers: Workers) -> None:
        super().__init__(daemon=True, name=f"{order['match'][:8]}/{order['seat']}")
        self.match = str(order["match"])
        self.seat = int(order["seat"])
        link = NodeLink(port, order["token"])
        self._node = NodeConnection(link, link.another)
        self._bot = bots.make(order["kind"], bytes.fromhex(order["seed"]), workers)

    def drop(self) -> None:
        """The match needs no bot now."""
        self._node.close()  # it may be waiting for an event

    def run(self) -> None:
        """Play until the match is over or the token is good no longer."""
        with suppress(Refused):
            for event in self._node.events():
                if event["kind"] != "closed" and self._concerns_us(event) and self._play():
                    return

    def _concerns_us(self, event: dict[str, Any]) -> bool:
        """Whether to look at the position: not while the match goes on and another seat is to act."""
        goes_on = event["kind"] == "match" and event["status"] in ("playing", "waiting")
        return not goes_on or event["to_act"] == self.seat

    def _play(self) -> bool:
        """Act while it is this seat's turn; True when the match is over. What fails for a while is tried again."""
        failures = 0
        while not self._node.is_closed:
            try:
                position = self._node.get(f"matches/{self.match}/position")
                engine.load(position["game"], position["rules"])  # before our first turn: nobody waits for it then
                if position["status"] == "over":
                    return True
                if position["to_act"] != position["seat"] or position["status"] == "stopped":
                    return False
                self._node.post(f"matches/{self.match}/play", {"texts": self._turn(position)})
                failures = 0
                continue
            except Refused as error:
                if error.status in FOR_GOOD:
                    raise
                if error.status == 409:
                    return False  # the match went on meanwhile, or waits for a peer; an event will come
            except (*LOST, Restarted):
                pass
            time.sleep(PAUSES[min(failures, len(PAUSES) - 1)])
            failures += 1
        return True

    def _turn(self, position: dict[str, Any]) -> list[str]:
        """Actions up to the first reveal or another seat's decision: one frame, like a person's draft."""
        game, state, known = read_position(position)
        seat: int = position["seat"]
        texts: list[str] = []
        while engine.to_act(game, state) == seat:
            action = self._bot.choose(game, state, known, seat, position["ply"] + len(texts))
            for slot, _ in game.opens(state, action):
                known.pop(slot, None)
            texts.append(game.notation.say(state, action))
            state, _ = engine.advance(game, state, action)
        return texts


def main() -> None:
    """Take orders until there are no more."""
    port = int(sys.argv[1])
    workers = Workers()  # they end with us, however we end
    seats: dict[tuple[str, int], Seat] = {}
    for line in sys.stdin:
        order = json.loads(line)
        if order.get("drop"):
            for key in [key for key in seats if key[0] == order["match"]]:
                seats.pop(key).drop()
            continue
        if order.get("hint"):
            HintThread(order, workers).start()
            continue
        seat = Seat(port, order, workers)
        seats[seat.match, seat.seat] = seat
        seat.start()
    os._exit(0)  # the threads may sit in a read; nothing of theirs needs saving


if __name__ == "__main__":
    main()
