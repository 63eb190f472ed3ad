"""The pages of a real lobby over real HTTP: what is told, what is refused, what is never told."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from kontor_games.lobby.settings.config import load_config
from kontor_games.net.record.verify import verify
from kontor_games.net.wire.lobby_messages import MakeTable
from kontor_games.net.wire.messages import Enter, Sit
from kontor_games.net.wire.people_messages import Appear
from tests.clients.command import kontor
from tests.worlds.certificates import authority, certificate_for
from tests.worlds.lobby_hall import Node

from .served import FILES, PagesProcess

NAMES = ("hansa-3", "osaka-3-unfinished")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PagesProcess]:
    made = PagesProcess(tmp_path_factory.mktemp("pages") / "data", NAMES, top='title = "Contor <b>of</b> Lübeck"')
    yield made
    assert made.stop() == 0


@pytest.fixture(scope="module")
def match(pages: PagesProcess) -> str:
    return str(pages.wait_for_matches(1)[0]["id"])


def test_every_answer_has_strict_headers_and_no_cookie(pages: PagesProcess, match: str) -> None:
    paths = [
        "/",
        f"/match/{match}",
        "/api/1/hall",
        f"/files/{match}.kontor",
        "/feed.atom",
        "/nowhere",
        "/api/1/nowhere",
    ]
    for path in paths:
        found = pages.get(path)
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in found.headers and found.status in (200, 404)


def test_only_get_and_head_are_answered_and_bodies_are_ignored(pages: PagesProcess) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        found = pages.get("/api/1/hall", method=method)
        assert found.status == 405 and found.headers["allow"] == "GET, HEAD"
    head = pages.get("/api/1/hall", method="HEAD")
    assert head.status == 200 and head.body == b"" and int(head.headers["content-length"]) > 100


@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1:1", "", "localhost:{port}.evil.example"])
def test_a_foreign_host_is_refused(pages: PagesProcess, host: str) -> None:
    assert pages.get("/", {"Host": host.format(port=pages.ready["pages"])}).status == 421


def test_its_own_names_are_answered(pages: PagesProcess) -> None:
    assert pages.get("/", {"Host": f"LOCALHOST:{pages.ready['pages']}"}).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/s/../lobby.toml", "/s/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/files/../lobby.toml", "/app.js",
        "/index.html", "/guest/start.js",
        "/s/0000000000000000/draw.js", "/match/" + "0" * 32, "/match/" + "A" * 32, "/api/1/matches/" + "0" * 32,
        "/files/osaka-3-unfinished.kontor", "/api/1/matches?page=-1", "/metrics", "/health", "/api/1/matches/x/replay",
    ],
)  # fmt: skip
def test_there_is_nothing_else(pages: PagesProcess, path: str) -> None:
    assert pages.get(path).status in (400, 404)


def test_a_long_address_and_many_headers_are_refused(pages: PagesProcess) -> None:
    assert pages.get("/?" + "x" * 600).status == 414
    with socket.create_connection(("127.0.0.1", pages.ready["pages"]), timeout=30) as wire:
        wire.sendall(b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(500)) + b"\r\n")
        assert wire.recv(100).startswith(b"HTTP/1.1 400")


def test_files_that_do_not_change_are_kept_and_the_rest_is_asked_for_by_its_tag(pages: PagesProcess) -> None:
    page = pages.get("/", {"Accept-Encoding": "gzip"})
    assert page.headers["content-encoding"] == "gzip"
    address = page.body.decode().split('src="')[1].split('"')[0]
    script = pages.get(address)
    assert script.status == 200 and "immutable" in script.headers["cache-control"]
    assert script.headers["content-type"].startswith("text/javascript")
    for tag in (page.headers["etag"], f"W/{page.headers['etag']}", f'"other", {page.headers["etag"]}'):
        again = pages.get("/", {"If-None-Match": tag})
        assert again.status == 304 and again.body == b""
    assert pages.get("/", {"If-None-Match": '"other"'}).status == 200


def test_a_match_is_told_in_the_words_of_verify_and_its_file_is_the_one_that_was_judged(
    pages: PagesProcess, match: str, tmp_path: Path
) -> None:
    told = pages.get(f"/api/1/matches/{match}").json
    report = verify(FILES / "hansa-3.kontor")
    assert told["verdict"]["details"][0] == report.line and told["verdict"]["status"] == "verified"
    assert [player["key"] for player in told["verdict"]["players"]] == [peer["key"] for peer in report.peers]
    found = pages.get(told["file"])
    assert found.body == (FILES / "hansa-3.kontor").read_bytes()
    assert found.headers["content-disposition"].startswith("attachment")
    (tmp_path / "got.kontor").write_bytes(found.body)
    said = kontor(tmp_path, "verify", "got.kontor")
    assert said.returncode == 0 and report.line in said.stdout


def test_a_replay_comes_in_chunks_that_were_prepared_by_a_process(pages: PagesProcess, match: str) -> None:
    assert pages.get(f"/api/1/matches/{match}/views/0").status in (200, 404)  # not before somebody asked for the replay
    info = pages.get(f"/api/1/matches/{match}/replay", {"Accept-Encoding": "gzip"})
    assert info.status == 200 and info.headers["content-encoding"] == "gzip"
    chunks = info.json["plies"] // info.json["chunk"] + 1
    plies = [
        position["ply"]
        for number in range(chunks)
        for position in pages.get(f"/api/1/matches/{match}/views/{number}").json["positions"]
    ]
    assert plies == list(range(info.json["plies"] + 1))
    assert pages.get(f"/api/1/matches/{match}/views/{chunks}").status == 404


def test_the_feed_is_a_feed_and_markup_in_a_title_is_text(pages: PagesProcess, match: str) -> None:
    feed = pages.get("/feed.atom")
    assert feed.headers["content-type"].startswith("application/atom+xml")
    root = ElementTree.fromstring(feed.body)
    atom = "{http://www.w3.org/2005/Atom}"
    assert root.findtext(f"{atom}title") == "Contor <b>of</b> Lübeck"
    [entry] = root.findall(f"{atom}entry")
    assert entry.findtext(f"{atom}title") == "Hansa Teutonica: Anna 0, Bruno 0, Clara 0"
    assert entry.find(f"{atom}link").attrib["href"].endswith(f"/match/{match}")  # type: ignore[union-attr]
    assert b"<b>of</b>" not in pages.get("/").body


@ensureDeferred
async def test_public_tables_are_told_and_nothing_of_the_others(pages: PagesProcess) -> None:
    anna, ben = Node("Anna <i>A</i>"), Node("Secret Ben")
    await anna.come(pages.port, pages.key)
    await ben.come(pages.port, pages.key)
    await anna.ask(Appear("everybody"))
    shy = Node("Shy Cleo")
    await shy.come(pages.port, pages.key)
    table = (await anna.ask(MakeTable("osaka", {}, 3, note="<script>a()</script>"))).table
    await shy.ask(Enter(table))
    await shy.ask(Sit(table, 2, "Shy Cleo"))
    await anna.ask(Sit(table, 1, "Anna <i>A</i>"))
    for visibility in ("unlisted", "invite"):
        hidden = (await ben.ask(MakeTable("hansa", {}, 3, visibility, note="hidden note"))).table
        await ben.ask(Sit(hidden, 0, "Secret Ben"))

    tables, text = await deferToThread(_hall_with_somebody, pages)
    [told] = tables
    assert told["game"] == "osaka" and told["title"] == "Merchants of Osaka" and told["status"] == "open"
    assert told["seats"] == [None, "Anna <i>A</i>", ""] and told["note"] == "<script>a()</script>"
    for private in (
        "Secret Ben",
        "Shy Cleo",
        "hidden note",
        ":4000",
        anna.identity.key.hex(),
        ben.identity.key.hex(),
        table,
    ):
        assert private not in text
    assert set(told) == {"game", "title", "status", "host", "seats", "note", "watchable", "since"}
    await shy.leave()
    await anna.leave()
    await ben.leave()


def _hall_with_somebody(pages: PagesProcess) -> tuple[list[dict[str, Any]], str]:
    """The tables and the whole answer, as soon as somebody sits: an answer may be two seconds old."""
    until = time.monotonic() + 30
    while True:
        found = pages.get("/api/1/hall")
        tables: list[dict[str, Any]] = found.json["tables"]
        if (tables and any(tables[0]["seats"])) or time.monotonic() > until:
            return tables, found.body.decode()
        time.sleep(0.5)


def test_many_requests_of_one_address_are_refused_and_another_one_is_answered(tmp_path: Path) -> None:
    settings = (
        'requests_burst = 5\nrequests_per_second = 0.1\nproxies = ["127.0.0.1"]\nurl = "https://games.example.org"'
    )
    made = PagesProcess(tmp_path / "data", (), settings)
    try:
        asked = {"Host": "games.example.org"}
        got = [made.get("/", {**asked, "X-Forwarded-For": f"{n}.2.3.4, 198.51.100.1"}).status for n in range(8)]
        assert got == [200] * 5 + [429] * 3
        other = made.get("/", {**asked, "X-Forwarded-For": "198.51.100.2"})
        assert other.status == 200 and "max-age" in other.headers["strict-transport-security"]
        assert made.get("/", {"X-Forwarded-For": "198.51.100.3"}).status == 421  # by the address it listens on
    finally:
        assert made.stop() == 0


def test_pages_with_a_certificate_of_their_own_take_a_renewed_one_and_a_new_title_without_a_restart(
    tmp_path: Path,
) -> None:
    ours = authority(tmp_path, "ours")
    pair = certificate_for(tmp_path, "localhost", ours)
    settings = f'certificate = "{pair.certificate}"\nprivate_key = "{pair.key}"'
    made = PagesProcess(tmp_path / "data", (), settings, top='title = "Old"')
    trust = ssl.create_default_context(cafile=str(ours.certificate))

    def seen() -> tuple[bytes, str, str]:
        """The certificate, the lobby's title, and how long a browser shall ask for nothing but HTTPS."""
        connection = http.client.HTTPSConnection("localhost", made.ready["pages"], timeout=30, context=trust)
        connection.connect()
        shown = connection.sock.getpeercert(binary_form=True)
        connection.request("GET", "/api/1/hall")
        answer = connection.getresponse()
        title = json.loads(answer.read())["lobby"]["title"]
        connection.close()
        return shown, title, answer.headers["strict-transport-security"]

    try:
        first, title, strict = seen()
        assert title == "Old" and "max-age" in strict
        config = tmp_path / "lobby.toml"
        config.write_text(config.read_text().replace("Old", "New"))
        pair.certificate.write_text("half of a certificate")
        reload = ("lobby", "--data", str(made.data), "admin", "reload")
        refused = kontor(tmp_path, *reload)
        assert refused.returncode == 2 and "cannot be used for TLS" in refused.stderr
        assert seen()[:2] == (first, "Old")
        certificate_for(tmp_path, "localhost", ours)  # as it is renewed: with another key
        assert kontor(tmp_path, *reload).stdout == "taken over: title\n"
        renewed, title, _ = seen()
        assert renewed != first and title == "New"
    finally:
        assert made.stop() == 0


def test_without_pages_nothing_listens_and_wrong_settings_are_named(tmp_path: Path) -> None:
    for settings, said in (
        ('url = "games.example.org"', "pages.url"),
        ('files = "nowhere"', "pages.files"),
        ('proxies = ["me"]', "pages.proxies"),
        ('certificate = "a.pem"', "pages.certificate"),
        ('listen = "nonsense"', "pages.listen"),
        ("colour = 1", "colour"),
    ):
        (tmp_path / "lobby.toml").write_text(f"[pages]\n{settings}\n")
        found = kontor(tmp_path, "lobby", "--config", "lobby.toml", "--data", str(tmp_path), "--check-config")
        assert found.returncode == 2 and said in found.stderr, found.stderr


def test_the_settings_in_the_hosting_guide_are_settings(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[3] / "docs" / "hosting.md").read_text(encoding="utf-8")
    block = re.search(r"(?ms)^```toml\n(\[pages\].*?)^```$", guide)
    assert block is not None
    text = block[1].replace("/var/lib/kontor-lobby/public", str(tmp_path))
    (tmp_path / "lobby.toml").write_text(text, encoding="utf-8")
    config = load_config(tmp_path / "lobby.toml", {"pages": "127.0.0.1:0"})
    assert config.pages.listen == "127.0.0.1:0" and config.pages.files == str(tmp_path)
    told = set(re.findall(r"(?m)^(?:# )?(\w+) = ", block[1]))
    assert told == set(config.pages.__struct_fields__) - {"requests_burst"}  # told beside the rate
