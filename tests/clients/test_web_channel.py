"""The phone's half of the sealed channel, as the browser runs it, talks to the node's half."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kontor_games.net.api.guests.sealed_channel import Credential, DoorEnd, id_of
from kontor_games.net.wire.fingerprint_words import WORDS

ROOT = Path(__file__).parent.parent.parent
# The page has `self`; node.js has not. Each line of input is an order, each line of output its answer.
SCRIPT = """
globalThis.self = globalThis;
const { PhoneEnd, toText, fromText } = await import("./clients/web/guest/channel.js");
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const raw = (text) => Uint8Array.from(Buffer.from(text, "hex"));
let phone = null;
const does = {
  begin: (kind, secret) => ((phone = new PhoneEnd(kind, raw(secret))), hex(phone.hello)),
  meet: (door) => hex(phone.meet(raw(door))),
  seal: (message) => hex(phone.seal(message)),
  open: (box) => phone.open(raw(box)),
  words: () => phone.words,
  device: () => hex(phone.device),
  text: (bytes) => [toText(raw(bytes)), hex(fromText(toText(raw(bytes)))), hex(fromText("no?"))],
};
for await (const line of (await import("node:readline")).createInterface({ input: process.stdin })) {
  const [what, ...rest] = JSON.parse(line);
  try {
    console.log(JSON.stringify({ found: does[what](...rest) }));
  } catch (error) {
    console.log(JSON.stringify({ refused: error.message }));
  }
}
"""


class ScriptPhone:
    """The web client's code in node.js."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, *order: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer.get("found", answer)


@pytest.fixture(scope="module")
def phone() -> Iterator[ScriptPhone]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node.js here to run the web client's code")
    command = [node, "--input-type=module", "-e", SCRIPT]
    with subprocess.Popen(command, cwd=ROOT, stdin=-1, stdout=-1, text=True) as process:
        yield ScriptPhone(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.parametrize("credential", list(Credential))
def test_browser_and_node_understand_each_other(phone: ScriptPhone, credential: Credential) -> None:
    secret = {Credential.LINK: os.urandom(16), Credential.DEVICE: os.urandom(32), Credential.CODE: b""}[credential]
    door = DoorEnd(lambda kind, id: secret if (kind, id) == (credential, id_of(secret)) else None)
    key = door.greet(bytes.fromhex(phone.ask("begin", credential.value, secret.hex())))
    assert door.greet(bytes.fromhex(phone.ask("meet", key.hex()))) == b""
    for size in (0, 300, 70_000):
        message = {"text": "ä" * size, "n": size}
        assert json.loads(door.open(bytes.fromhex(phone.ask("seal", message)))) == message
        assert phone.ask("open", door.seal(json.dumps(message).encode()).hex()) == message
    assert door.agreed is not None
    assert tuple(WORDS[number] for number in phone.ask("words")) == door.agreed.words
    assert phone.ask("device") == door.agreed.device.hex()


def test_the_browser_refuses_flipped_boxes_and_points_of_small_order(phone: ScriptPhone) -> None:
    for point in (bytes(32), b"\x01" + bytes(31), b"\x05" * 31):
        phone.ask("begin", 3, "")
        assert phone.ask("meet", point.hex()) == {"refused": "this is not a key"}
    door = DoorEnd(lambda kind, id: None)
    key = door.greet(bytes.fromhex(phone.ask("begin", 3, "")))
    door.greet(bytes.fromhex(phone.ask("meet", key.hex())))
    box = bytearray(door.seal(b"{}"))
    box[-1] ^= 1
    for wrong in (bytes(box), bytes(box[:-1]), b"", bytes(272)):
        assert phone.ask("open", wrong.hex()) == {"refused": "a box that does not open"}


def test_secrets_in_addresses_come_back_whole(phone: ScriptPhone) -> None:
    for raw in (bytes(16), b"\xff" * 16, os.urandom(32)):
        words, again, none = phone.ask("text", raw.hex())
        assert (again, none) == (raw.hex(), "") and set("+/=").isdisjoint(words)
