"""The bundle at the guest door: what is said before it is downloaded, the file itself, and who may have it how long."""

from __future__ import annotations

import hashlib
import os
import socket
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kontor_games.net.bundle.bundle_offer import by_system
from tests.net.api.kit import Listener

from .door_host import Host
from .door_phone import DoorPhone, page

NAME = "kontor-bundle-0.1.0.zip"


@pytest.fixture
def bundle(host: Host) -> Iterator[Path]:
    """A file that looks like a bundle and is larger than all buffers on its way."""
    folder = host.node.home / "bundle"
    folder.mkdir()
    path = folder / NAME
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("kontor-bundle/MADE_FOR.txt", "  Linux x86-64, Python 3.11\n")
        archive.writestr("kontor-bundle/wheels/large.whl", os.urandom(24_000_000))
    yield path
    path.unlink(missing_ok=True)
    folder.rmdir()


def test_without_a_bundle_the_page_says_how_to_make_one(host: Host) -> None:
    status, headers, body = page(host.url, "/bundle")
    assert status == 200 and b"kontor bundle" in body and headers["content-type"].startswith("text/html")
    assert page(host.url, f"/bundle/{NAME}")[0] == 404 and host.party["bundle"] == ""


def test_the_page_says_what_is_needed_and_the_file_is_whole(host: Host, bundle: Path) -> None:
    status, _, body = page(host.url, "/bundle")
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    assert status == 200 and body.index(b"Python 3.11 or newer") < body.index(b"<a href=") and digest.encode() in body
    assert host.party["bundle"] == f"{host.url}bundle"
    assert host.party["bundle_mark"].replace(" ", "") == digest[:20], "the host's screen has something to compare"
    screen = DoorPhone.by_link(host.invited("screen"), "Television")
    assert screen.you["bundle"] == f"{host.url}bundle"
    status, headers, data = page(host.url, f"/bundle/{NAME}")
    assert status == 200 and hashlib.sha256(data).hexdigest() == digest
    assert headers["content-disposition"] == f'attachment; filename="{NAME}"'
    status, headers, data = page(host.url, f"/bundle/{NAME}", "HEAD")
    assert status == 200 and int(headers["content-length"]) == bundle.stat().st_size and data == b""
    for path in ("/bundle/", "/bundle/x.zip", "/bundle/../node.token", "/bundle/%2e%2e/node.token", "/bundlex"):
        assert page(host.url, path)[0] == 404
    bundle.write_bytes(b"broken")
    assert host.party["bundle_mark"] == ""
    assert page(host.url, "/bundle")[0] in (500, 503)
    bundle.unlink()
    assert b"kontor bundle" in page(host.url, "/bundle")[2], "it is looked for at every request"


def test_the_host_is_told_of_the_hash_as_soon_as_it_is_known(host: Host, bundle: Path) -> None:
    ear = Listener(host.link, host.link.get("hello")["last"])
    assert host.party["bundle_mark"] == "", "it is being made"
    ear.wait_for(lambda event: event["kind"] == "party")
    assert len(host.party["bundle_mark"].split()) == 5


def test_systems_are_named_once() -> None:
    kinds = ("Linux (ARM), Python 3.11", "Linux (ARM), Python 3.12", "macOS (Intel), Python 3.13")
    assert by_system(kinds) == ["Linux (ARM), Python 3.11, 3.12", "macOS (Intel), Python 3.13"]


def test_downloads_that_do_not_read_take_no_memory_and_shut_nobody_out(host: Host, bundle: Path) -> None:
    parts = urlsplit(host.url)
    page(host.url, "/bundle")  # its hash is made once
    before = memory_of(host)
    wires = []
    for machine in range(2, 6):
        for _ in range(5):
            wire = socket.socket()
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wire.bind((f"127.0.0.{machine}", 0))
            wire.connect((str(parts.hostname), parts.port))
            wire.sendall(f"GET /bundle/{NAME} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
            wires.append(wire)
    time.sleep(0.5)
    began = time.monotonic()
    assert host.seat(1, "Bruno").get("hello")["version"] == 1 and page(host.url, "/")[0] == 200
    assert len(page(host.url, f"/bundle/{NAME}")[2]) == bundle.stat().st_size, "one who has none yet comes first"
    assert time.monotonic() - began < 15 and memory_of(host) - before < 20_000_000
    for wire in wires:
        wire.close()


def memory_of(host: Host) -> int:
    assert host.node.process is not None
    rows = Path(f"/proc/{host.node.process.pid}/status").read_text().splitlines()
    return int(next(row for row in rows if row.startswith("VmRSS")).split()[1]) * 1024
