"""Load for magic-wormhole's mailbox server; runs in the throw-away environment that has it, not in ours.

    python bench_mailbox_client.py PORT SECONDS

Each of 16 clients opens a mailbox and adds messages, one after the other; a message counts when it has been stored
and sent back. It stores them one at a time, so more under way would only come back later, all at once.
"""

import json
import sys
import time

from autobahn.twisted.websocket import WebSocketClientFactory, WebSocketClientProtocol
from twisted.internet import reactor

CLIENTS = 16
counted = 0
ready = 0
begun = 0.0
clients = []


class Client(WebSocketClientProtocol):
    def say(self, **message):
        self.sendMessage(json.dumps(message).encode())

    def onOpen(self):
        side = f"side{len(clients)}"
        clients.append(self)
        self.say(type="bind", appid="bench", side=side)
        self.say(type="open", mailbox=f"box-{side}")
        self.say(type="ping", ping=1)

    def onMessage(self, payload, is_binary):
        global counted, ready
        kind = json.loads(payload)["type"]
        if kind == "pong":
            ready += 1
            if ready == CLIENTS:
                start()
        elif kind == "message":
            counted += 1
            self.add()

    def add(self):
        self.say(type="add", phase="p", body="ab" * 75)


def start():
    global begun
    begun = time.perf_counter()
    reactor.callLater(float(sys.argv[2]), report)
    for client in clients:
        client.add()


def report():
    print(json.dumps({"per_second": max(1, round(counted / (time.perf_counter() - begun)))}), flush=True)
    reactor.stop()


factory = WebSocketClientFactory(f"ws://127.0.0.1:{sys.argv[1]}/v1")
factory.protocol = Client
for _ in range(CLIENTS):
    reactor.connectTCP("127.0.0.1", int(sys.argv[1]), factory)
reactor.run()
