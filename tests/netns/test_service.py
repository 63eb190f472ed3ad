"""The service of docs/hosting.md, installed by its commands on a machine of its own and run by a real systemd.

The machine is a container on a copy of this one's files that is thrown away. In it every command of the section «As a
service» is typed as it stands there; systemd starts the unit that is shipped, with all that it takes from the process.
At the end the lobby is given a Redis that comes late. Needs root, systemd-nspawn (Debian's systemd-container), sudo,
redis-server and the package index.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_documents import HOSTING, hosting_commands
from tests.worlds.redis_server import needs_redis

from .wires import ROOT, need_tools, run

pytestmark = [pytest.mark.netns, pytest.mark.long, needs_redis]
SETTINGS = 'data = "/var/lib/kontor-lobby"\n'
UNITS = {
    "trial.target": "[Unit]\nRequires=basic.target\nAfter=basic.target\nWants=trial.service\n",
    "trial.service": "[Unit]\nAfter=basic.target\n[Service]\nExecStart=/bin/bash /trial/service.sh\n",
}
PAST_INSTALLING = """
told() { echo "== $1"; shift; "$@" 2>&1; }
healthy() {
    python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:7461/health').read().decode().strip())"
}
settled() { for _ in $(seq 60); do sleep 1; [ "$(healthy 2>&1 | tail -1)" = ok ] && break; done; }
lobby() { sudo -u kontor-lobby /opt/kontor/scripts/kontor lobby --config /etc/kontor/lobby.toml "$@"; }
settled
told health healthy
told exposure systemd-analyze security --no-pager kontor-lobby
told status lobby admin status --json
told reload systemctl reload kontor-lobby
told backup lobby backup /tmp/lobby.tar
kill -9 "$(systemctl show -P MainPID kontor-lobby)"
settled
told after-a-crash healthy
told restarts systemctl show -P NRestarts kontor-lobby
systemctl restart kontor-lobby
settled
told after-a-restart healthy
systemctl stop kontor-lobby
told stopped systemctl show -P Result kontor-lobby
echo 'store = "redis://127.0.0.1:6399/0"' >> /etc/kontor/lobby.toml
systemctl start kontor-lobby
for _ in $(seq 60); do sleep 1; [ "$(systemctl show -P NRestarts kontor-lobby)" -ge 6 ] && break; done
told tries systemctl show -P NRestarts kontor-lobby
redis-server --port 6399 --appendonly yes --appendfsync always --dir /trial --daemonize yes > /dev/null
settled
told on-redis healthy
told log journalctl -u kontor-lobby -o cat --no-pager
"""


def commands() -> list[list[str]]:
    """Those of the two blocks of the section: before the unit is installed, and the unit."""
    section = HOSTING.read_text(encoding="utf-8").partition("## As a service")[2].partition("\n## ")[0]
    blocks = [block for kind, block in re.findall(r"(?ms)^```([^\n]*)\n(.*?)^```$", section) if not kind]
    return [[re.split(r"\s{2,}#", line)[0] for line in block.splitlines()] for block in blocks]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Path]:
    """The files of a machine like this one, over which everything may be written."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("a machine of its own needs root")
    need_tools("systemd-nspawn", "sudo", "mount")
    top, root = tmp_path / "top", tmp_path / "top" / "root"
    top.mkdir()
    run("mount", "-t", "tmpfs", "tmpfs", str(top))
    try:
        for name in ("changed", "work", "root"):
            (top / name).mkdir()
        where = f"lowerdir=/,upperdir={top}/changed,workdir={top}/work"
        run("mount", "-t", "overlay", "overlay", "-o", where, str(root))
        try:
            shutil.rmtree(root / "opt" / "kontor", ignore_errors=True)
            (root / "trial" / "kontor").mkdir(parents=True)
            yield root
        finally:
            run("umount", str(root))
    finally:
        run("umount", str(top))


def check_out(where: Path) -> None:
    """The files of this checkout, as git knows them."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=60).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, where / name)


def in_machine(root: Path, *words: str, seconds: int) -> str:
    """Run this in the container, or boot it; what it printed."""
    about_pip = [f"--setenv={name}={value}" for name, value in os.environ.items() if name.startswith("PIP_")]
    spawn = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--resolv-conf=off", "--link-journal=no"]
    given = [*spawn, *about_pip, "-D", str(root), *words]
    run = subprocess.run(given, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    return run.stdout + run.stderr


def test_the_service_is_installed_and_run_as_the_document_says(machine: Path) -> None:
    check_out(machine / "trial" / "kontor")
    before, unit = commands()
    assert len(before) == 5 and len(unit) == 3
    (machine / "trial" / "lobby.toml").write_text(SETTINGS)
    settings = "cp /trial/lobby.toml /etc/kontor/lobby.toml"  # what the comment behind `mkdir` asks for
    at = next(number for number, line in enumerate(before) if "--check-config" in line)
    (for_redis,) = [line for line, _ in hosting_commands() if "pip install hiredis" in line]
    lines = ["set -e", "cd /trial", *before[:at], settings, *before[at:], for_redis, "echo installed"]
    (machine / "trial" / "install.sh").write_text("\n".join(lines))
    said = in_machine(machine, "/bin/bash", "/trial/install.sh", seconds=600)
    assert "the settings work" in said and "installed" in said.splitlines(), said
    for name, text in UNITS.items():
        (machine / "etc" / "systemd" / "system" / name).write_text(text)
    script = ["exec > /trial/told.txt 2>&1", "trap 'systemctl poweroff --force' EXIT", *unit, PAST_INSTALLING]
    (machine / "trial" / "service.sh").write_text("\n".join(script))
    in_machine(machine, "--private-network", "--boot", "systemd.unit=trial.target", seconds=300)
    whole = (machine / "trial" / "told.txt").read_text()
    told = dict(part.split("\n", 1) for part in whole.split("== ")[1:])
    assert told["health"] == told["after-a-crash"] == told["after-a-restart"] == "ok\n", whole
    found = re.search(r"exposure level for kontor-lobby.service: (\S+)", told["exposure"])
    assert found is not None and float(found[1]) <= 3.0, whole
    assert '"tables": 0' in told["status"] and "the key" in told["backup"], whole
    assert '"do": "reload"' in told["log"] and "kontor tables --lobby" in told["log"], whole
    assert int(told["restarts"]) == 1 and told["stopped"] == "success\n", whole
    assert int(told["tries"]) >= 6 and told["on-redis"] == "ok\n", "systemd tries until Redis is there: " + whole
