"""The node's home: links that somebody planted lead nowhere, and its log holds what was said on one line each."""

from __future__ import annotations

import resource
import stat
from pathlib import Path

import pytest
from twisted.logger import LogLevel

from kontor_games.engine.errors import StoreError
from kontor_games.net.system.logs import line_of
from kontor_games.net.system.private_file import open_private, read_private, write_private
from tests.worlds.quick_start import run

from .kit import NodeProcess

WRITTEN = ["node.log", "node.port", "node.cookies", "port", "lobbies.json", "lobbies.new", "settings.json"]


def plant(home: Path, name: str, folder: Path) -> Path:
    """A link in the home to a file of somebody else's."""
    foreign = folder / f"precious-{name}"
    foreign.write_text("precious")
    foreign.chmod(0o644)
    (home / name).symlink_to(foreign)
    return foreign


def test_links_in_the_home_never_make_the_node_write_or_open_up_foreign_files(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    foreign = [plant(home, name, tmp_path) for name in WRITTEN]
    node = NodeProcess(home).start()
    try:
        link = node.link()
        link.put("settings", {"name": "Anna", "lobby": ""})
        url = link.post("links")["url"]
        assert node.raw("GET", "/" + url.split("/", 3)[3])[0] == 303
        assert link.get("tables")["tables"] == []  # the network is open: the port is written
    finally:
        node.end()
    for path in foreign:
        assert path.read_text() == "precious" and stat.S_IMODE(path.stat().st_mode) == 0o644, path.name
    for name in WRITTEN[:4]:
        assert not (home / name).is_symlink() and stat.S_IMODE((home / name).stat().st_mode) == 0o600, name


@pytest.mark.parametrize("name", ["node.lock", "node.token", "identity.pem"])
def test_a_node_does_not_start_on_a_lock_or_secret_that_is_a_link(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    foreign = plant(home, name, tmp_path)
    foreign.chmod(0o600)
    command = ["node", "run", "--home", str(home), "--bind", "127.0.0.1", "--no-lan"]
    from tests.lobby.child import KONTOR, ROOT

    done = run([*KONTOR, *command], cwd=ROOT, text=True, timeout=30)
    assert done.returncode != 0 and "Traceback" not in done.stderr and name in done.stderr
    assert foreign.read_text() == "precious"


@pytest.mark.skipif(not Path("/proc").exists(), reason="limits of other processes are read from /proc")
def test_a_node_takes_as_many_open_files_as_it_may(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    node = NodeProcess(tmp_path / "home")
    try:
        node.start()
        assert node.process is not None
        rows = Path(f"/proc/{node.process.pid}/limits").read_text().splitlines()
        (soft,) = (int(row.split()[3]) for row in rows if row.startswith("Max open files"))
        assert soft > 256
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        node.end()


def test_private_files_are_written_past_links_and_read_only_if_they_are_ours(tmp_path: Path) -> None:
    foreign = plant(tmp_path, "secret", tmp_path)
    with pytest.raises(StoreError):
        read_private(tmp_path / "secret")
    with pytest.raises(OSError, match=r"Too many levels|not a file"):
        open_private(tmp_path / "secret")
    write_private(tmp_path / "secret", b"mine", sync=True)
    assert foreign.read_text() == "precious" and read_private(tmp_path / "secret") == b"mine"
    with pytest.raises(StoreError, match="too long"):
        read_private(tmp_path / "secret", 3)
    (tmp_path / "secret").chmod(0o640)
    with pytest.raises(StoreError, match="read by others"):
        read_private(tmp_path / "secret")
    (tmp_path / "twin").hardlink_to(foreign)
    with pytest.raises(OSError, match="not a file of this home alone"):
        open_private(tmp_path / "twin")
    assert not list(tmp_path.glob(".secret*")), "nothing half-made stays"


HOSTILE = "Eve\r\n2026-01-01T00:00:00 critical kontor.node: all is lost\x1b[2J\u2028\u202egnihton\x00\udc80{level}"


def test_whatever_others_say_stays_on_one_line_of_the_log_and_steers_no_terminal() -> None:
    event = {"log_namespace": "kontor.mesh", "log_level": LogLevel.info, "log_format": "{name} left", "name": HOSTILE}
    line = line_of(event)
    assert line is not None and line.isprintable() and len(line.splitlines()) == 1
    assert "\\r\\n2026" in line and "\\x1b[2J" in line and "\\u202e" in line and "{level}" in line
    assert line.endswith(" left") and line.encode("utf-8")
