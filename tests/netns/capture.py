"""What ran over a wire: a capture by tcpdump, put together again into TCP streams."""

from __future__ import annotations

import struct
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

Stream = tuple[str, int, str, int]  # from, port, to, port


class Capture:
    """tcpdump in a namespace from now until `stop`."""

    def __init__(self, path: Path, prefix: Sequence[str], device: str, what: str) -> None:
        self._path = path
        command = [
            *prefix,
            "tcpdump",
            "-i",
            device,
            "-s",
            "0",
            "-B",
            "16384",
            "--immediate-mode",
            "-U",
            "-w",
            str(path),
            what,
        ]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        while "listening on" not in (line := self._process.stderr.readline()):
            assert line, "tcpdump ended"

    def stop(self) -> dict[Stream, bytes]:
        """All that was sent, per direction of each connection."""
        time.sleep(1)  # what tcpdump has in its buffer
        self._process.terminate()
        self._process.wait(10)
        assert self._process.stderr is not None
        self._process.stderr.close()
        return streams(self._path.read_bytes())


def streams(pcap: bytes) -> dict[Stream, bytes]:
    """The payloads of a pcap file in the order of their sequence numbers."""
    parts: dict[Stream, dict[int, bytes]] = {}
    starts: dict[Stream, int] = {}
    place = 24
    while place + 16 <= len(pcap):
        size = struct.unpack_from("<I", pcap, place + 8)[0]
        packet = pcap[place + 16 : place + 16 + size][14:]  # without the Ethernet header
        place += 16 + size
        if packet[0] >> 4 != 4 or packet[9] != 6:
            continue
        head = (packet[0] & 15) * 4
        packet = packet[: struct.unpack_from(">H", packet, 2)[0]]
        source, target, number = struct.unpack_from(">HHI", packet, head)
        key = (_ip(packet[12:16]), source, _ip(packet[16:20]), target)
        data = packet[head + (packet[head + 12] >> 4) * 4 :]
        if packet[head + 13] & 2:  # SYN
            starts[key] = number + 1
        if data and key in starts:
            pieces, at = parts.setdefault(key, {}), (number - starts[key]) % 2**32
            if len(data) > len(pieces.get(at, b"")):  # what is sent again may come in smaller pieces
                pieces[at] = data
    return {key: _joined(pieces) for key, pieces in parts.items()}


def _joined(pieces: dict[int, bytes]) -> bytes:
    whole = bytearray()  # a capture of an evening has a hundred megabytes
    for at, data in sorted(pieces.items()):
        assert at <= len(whole), "the capture has a gap"
        whole += data[len(whole) - at :]
    return bytes(whole)


def _ip(raw: bytes) -> str:
    return ".".join(map(str, raw))


def tls_records(stream: bytes) -> tuple[list[int], bytes]:
    """The kinds of the TLS records that a stream is made of, and what is left behind the last whole one."""
    kinds = []
    while len(stream) >= 5:
        kind, version, size = struct.unpack_from(">BHH", stream)
        assert kind in (20, 21, 22, 23) and version in (0x0301, 0x0303) and size <= 16640, stream[:16].hex()
        if len(stream) < 5 + size:
            break
        kinds.append(kind)
        stream = stream[5 + size :]
    return kinds, stream


def websocket_words(stream: bytes) -> bytes:
    """What a browser says on a WebSocket, without the masks; nothing if the stream is not one."""
    head, found, data = stream.partition(b"\r\n\r\n")
    while found and b"\r\nUpgrade: websocket" not in head:  # pages may have been asked for on the same connection
        head, found, data = data.partition(b"\r\n\r\n")
    said = bytearray()
    place = 0
    while len(data) >= place + 6 and data[place + 1] & 128:
        size, at = data[place + 1] & 127, place + 2
        if size > 125:
            width = 2 if size == 126 else 8
            size, at = int.from_bytes(data[at : at + width], "big"), at + width
        mask, content = data[at : at + 4], data[at + 4 : at + 4 + size]
        said += bytes(byte ^ mask[number % 4] for number, byte in enumerate(content))
        place = at + 4 + size
    return bytes(said)
