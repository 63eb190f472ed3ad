"""The examples of docs/hosting.md for nginx, run by a real nginx: pages behind it, and a lobby behind its balancer."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from kontor_games.net.wire.lobby_messages import MakeTable, Say, TableCard
from tests.test_documents import HOSTING
from tests.worlds.certificates import authority, certificate_for
from tests.worlds.lobby_hall import until
from tests.worlds.redis_server import free_port, needs_redis, redis_server

from .child import LobbyProcess
from .pages.served import PagesProcess
from .several import Resident, SharedLobby

STREAM_MODULE = Path("/usr/lib/nginx/modules/ngx_stream_module.so")
pytestmark = pytest.mark.skipif(
    shutil.which("nginx") is None or not STREAM_MODULE.exists(),
    reason="nginx is not installed, so its examples are not run; install nginx-light and libnginx-mod-stream",
)


def example(about: str) -> str:
    """The example of the document that holds these words."""
    blocks = re.findall(r"(?ms)^```nginx\n(.*?)^```$", HOSTING.read_text(encoding="utf-8"))
    (found,) = [block for block in blocks if about in block]
    return str(found)


@contextmanager
def nginx(folder: Path, text: str, port: int) -> Iterator[None]:
    """Run nginx in the foreground with these settings until the block ends; it listens at `port`."""
    folder.mkdir()
    paths = " ".join(f"{kind}_temp_path {folder};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"load_module {STREAM_MODULE};\npid {folder}/pid;\nerror_log stderr;\ndaemon off;\nworker_processes 1;\n"
        f"events {{ worker_connections 512; }}\n{text.replace('HTTP_PATHS', paths)}\n"
    )
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=log)
        try:
            until_time = time.monotonic() + 20
            while not listens(port):
                assert process.poll() is None and time.monotonic() < until_time, (folder / "log").read_text()
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            process.wait(20)


def listens(port: int) -> bool:
    with socket.socket() as it:
        return it.connect_ex(("127.0.0.1", port)) == 0


def test_pages_behind_a_proxy_that_does_the_tls_are_answered_by_visitor(tmp_path: Path) -> None:
    ours = authority(tmp_path, "ours")
    pair = certificate_for(tmp_path, "games.example.org", ours)
    settings = (
        'url = "https://games.example.org"\nproxies = ["127.0.0.1"]\nrequests_per_second = 0.01\nrequests_burst = 8'
    )
    lobby = PagesProcess(tmp_path / "data", (), settings)
    port = free_port()
    text = example("proxy_set_header X-Forwarded-For").replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    text = text.replace("/etc/ssl/games.pem", str(pair.certificate)).replace("/etc/ssl/games.key", str(pair.key))
    text = text.replace("127.0.0.1:7480", f"127.0.0.1:{lobby.ready['pages']}")
    trust = ssl.create_default_context(cafile=str(ours.certificate))

    def ask(host: str, claims: str = "") -> tuple[int, dict[str, str]]:
        connection = http.client.HTTPSConnection("games.example.org", port, timeout=30, context=trust)
        plain = socket.create_connection(("127.0.0.1", port), 30, ("127.0.0.2", 0))  # not the proxy's own address
        connection.sock = trust.wrap_socket(plain, server_hostname="games.example.org")
        headers = {"Host": host, **({"X-Forwarded-For": claims} if claims else {})}
        connection.request("GET", "/api/1/hall", headers=headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}

    try:
        with nginx(tmp_path / "nginx", f"http {{ access_log off; HTTP_PATHS\n{text}}}", port):
            status, headers = ask("games.example.org")
            assert status == 200 and "default-src" in headers["content-security-policy"]
            assert ask("evil.example.org")[0] in (400, 403, 404, 421), "another name is not answered"
            # Whoever asks may claim to be anybody; the address that the proxy saw is the one that counts.
            statuses = [ask("games.example.org", f"198.51.100.{number}")[0] for number in range(12)]
            assert 429 in statuses, "twelve claims are still one visitor"
    finally:
        lobby.stop()


def people_at(process: LobbyProcess | None) -> int:
    """How many people are connected to a process; it counts them once a second."""
    assert process is not None
    return int(process.metrics()["people"])


@pytest.mark.long
@needs_redis
@ensureDeferred
async def test_a_plain_balancer_leads_to_any_process_and_people_move_past_it_when_theirs_dies(tmp_path: Path) -> None:
    port = free_port()
    with redis_server(tmp_path / "redis") as redis:
        lobby = SharedLobby(tmp_path, redis, 2)
        text = example("stream {").replace("listen 7460", f"listen 127.0.0.1:{port}")
        for name, number in zip(("one", "two"), lobby.ports, strict=True):
            text = text.replace(f"{name}.example.org:7460", f"127.0.0.1:{number}")
        people = [Resident(tmp_path / "nodes", f"Person {number}", f"127.0.0.1:{port}") for number in range(4)]
        newcomer = Resident(tmp_path / "nodes", "Newcomer", f"127.0.0.1:{port}")
        with nginx(tmp_path / "nginx", text, port):
            try:
                for person in people:
                    await person.come()
                table = (await people[0].ask(MakeTable("osaka", {}, 4, "public"))).table
                await people[0].hears(TableCard)
                await until(lambda: all(len(person.client._elsewhere) >= 2 for person in people))
                # The balancer hides who is where, so count: whoever has not noticed yet seems to be here all the time.
                await until(lambda: sum(map(people_at, lobby.processes)) == len(people))
                at_first = people_at(lobby.one(0))
                assert at_first > 0
                lobby.kill(0)
                await until(lambda: sum(len(p.ups) > 1 and p.is_here for p in people) == at_first)
                await people[0].ask(Say(table, "still here"))
                await newcomer.come()  # nginx passes over the process that is dead
            finally:
                for person in (*people, newcomer):
                    await person.leave()
                lobby.stop()
