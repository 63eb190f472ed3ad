"""The containers of docs/hosting.md: the image is built, run and composed by the commands of «In a container».

The registry is left out: the three images that ours begin with are stand-ins, Debian's Python, Redis (behind what the
official image does at its start) and Prometheus in one small system. Everything else is what people get: the
Containerfile, the compose file with its networks, volumes and rights, podman. The lobbies run in a network of their
own, so they are built before. Needs root, podman with runc or crun, debootstrap and the package index.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_documents import HOSTING, hosting_commands

from .test_service import check_out
from .wires import need_tools

pytestmark = [pytest.mark.netns, pytest.mark.long]
PACKAGES = "python3,python3-pip,python-is-python3,ca-certificates,redis-server,prometheus"
NOFILE = 32768  # of a lobby in the compose file
CONFIG = """
[containers]
default_ulimits = ["nofile={files}:{files}", "nproc=10000:10000"]
{more}
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
[engine]
runtime = "{runtime}"
cgroup_manager = "cgroupfs"
"""
ENTRY = """#!/bin/sh
# as the official image of Redis does: root hands over what is there, and becomes its user
set -e
if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
    find . ! -user redis -exec chown redis '{}' +
    exec setpriv --reuid redis --regid redis --clear-groups -- "$0" "$@"
fi
exec "$@"
"""
BUILD = """
set -e
mount -t tmpfs tmpfs /run
mkdir -p /var/lib/containers && mount --bind "$FOLDER/containers" /var/lib/containers
places=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
import() { tar -C "$FOLDER/system" -c . | podman import -q --change "ENV PATH=$places" "$@"; }
import --change 'ENV PIP_BREAK_SYSTEM_PACKAGES=1' - docker.io/library/python:3.12-slim-bookworm
import --change 'VOLUME /data' --change 'WORKDIR /data' --change 'ENTRYPOINT ["entry.sh"]' - \\
    docker.io/library/redis:7-bookworm
import --change 'USER nobody' --change 'ENTRYPOINT ["/usr/bin/prometheus"]' --change \\
    'CMD ["--config.file=/etc/prometheus/prometheus.yml","--storage.tsdb.path=/tmp"]' - \\
    docker.io/prom/prometheus:v2.53.0
export CONTAINERS_CONF="$FOLDER/building.conf"
cd "$FOLDER/kontor"
@BUILD@
podman-compose -f lobby/deploy/compose.yaml --profile redis build  # as `up` would, but that has no network here
CONTAINERS_CONF="$FOLDER/running.conf" exec unshare -n bash "$FOLDER/run.sh"
"""
RUN = """
ip link set lo up
told() { echo "== $1"; shift; "$@" 2>&1; }
health='import urllib.request as u; print(u.urlopen("http://127.0.0.1:7461/health").read().decode().strip())'
settled() { for _ in $(seq 60); do [ "$(podman exec "$1" python -c "$health" 2>&1)" = ok ] && break; sleep 1; done; }
asked() { python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' "$1"; }
status() { podman exec "$1" kontor lobby --data /data "${@:2}" admin status --json; }
open() { (echo > /dev/tcp/127.0.0.1/$1) && echo open; }

@RUN@
settled lobby
told health podman exec lobby python -c "$health"
told user podman exec lobby id -u
told port open 7460
podman restart lobby > /dev/null
settled lobby
told keeps-its-key podman logs lobby
told stopped podman stop lobby
told code podman inspect lobby --format '{{.State.ExitCode}}'

told up @UP@
settled deploy_lobby_1
for _ in $(seq 40); do asked http://127.0.0.1:9090/api/v1/targets | grep -q '"health":"up"' && break; sleep 1; done
told targets asked http://127.0.0.1:9090/api/v1/targets
told rules asked http://127.0.0.1:9090/api/v1/rules
podman-compose -f lobby/deploy/compose.yaml down > /dev/null 2>&1

export @SETTINGS@
told redis @REDIS@
settled deploy_lobby_1
settled deploy_second_1
told both status deploy_second_1 --store redis://redis:6379/0
told second-port open 7470
podman exec deploy_redis_1 redis-cli set kept yes > /dev/null
podman exec deploy_redis_1 redis-cli shutdown nosave > /dev/null
for _ in $(seq 40); do podman exec deploy_redis_1 redis-cli ping 2> /dev/null | grep -q PONG && break; sleep 1; done
told kept podman exec deploy_redis_1 redis-cli get kept
settled deploy_second_1
told again status deploy_lobby_1 --store redis://redis:6379/0
podman-compose -f lobby/deploy/compose.yaml --profile redis down -v > /dev/null 2>&1
echo "== end"
"""


def typed(beginning: str) -> list[str]:
    """The commands of the document that begin so; podman before 4.7 calls its `compose` by another name."""
    found = [line for line, _ in hosting_commands() if line.startswith(beginning)]
    return [line.replace("podman compose", "podman-compose") for line in found]


def settings() -> str:
    """What the document says to put into the environment of the last command."""
    section = HOSTING.read_text(encoding="utf-8").partition("## In a container")[2]
    found = re.findall(r"`((?:LOBBY|SECOND)_\w+=[^`]+)`", section)
    assert len(found) == 3
    return " ".join(found)


def make_system(folder: Path) -> None:
    """A small Debian with what the stand-ins need."""
    system = folder / "system"
    making = ["unshare", "-m", "debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(system)]
    subprocess.run(making, check=True, capture_output=True, timeout=900)
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", system / "etc/ssl/certs/ca-certificates.crt")
    (system / "usr/local/bin/entry.sh").write_text(ENTRY)
    (system / "usr/local/bin/entry.sh").chmod(0o755)
    (system / "data").mkdir()


def make_settings(folder: Path) -> None:
    """The checkout, and settings of podman that fit to the rights of this machine."""
    files = min(NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    runtime = "runc" if shutil.which("runc") else "crun"
    for name in ("containers", "networks", "kontor"):
        (folder / name).mkdir()
    for name, more in (("building.conf", 'netns = "host"'), ("running.conf", "")):
        (folder / name).write_text(CONFIG.format(files=files, more=more, folder=folder, runtime=runtime))
    check_out(folder / "kontor")
    if files < NOFILE:  # nobody here may raise it
        compose = folder / "kontor/lobby/deploy/compose.yaml"
        text = compose.read_text()
        assert f"nofile: {NOFILE}" in text
        compose.write_text(text.replace(f"nofile: {NOFILE}", f"nofile: {files}\n      nproc: 10000"))


def in_containers(folder: Path) -> tuple[dict[str, str], str]:
    """Run both scripts; what was told by name, and everything that was printed. Whatever still runs then is ended."""
    apart = ["unshare", "-m", "-p", "-f", "--mount-proc", "--kill-child", "bash", str(folder / "build.sh")]
    around = {**os.environ, "FOLDER": str(folder), "PATH": f"{folder}/tools/bin:{os.environ['PATH']}"}
    done = subprocess.run(apart, env=around, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    told = dict(part.split("\n", 1) for part in re.split(r"(?m)^== ", done.stdout)[1:])
    return told, done.stdout + done.stderr


def test_the_image_is_built_run_and_composed_as_the_document_says(tmp_path: Path) -> None:
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("containers in a network of their own need root")
    need_tools("podman", "debootstrap", "unshare")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "tools")], check=True, timeout=120)
    pip = [str(tmp_path / "tools/bin/python"), "-m", "pip", "install", "-q", "podman-compose"]
    subprocess.run(pip, check=True, capture_output=True, timeout=300)
    make_system(tmp_path)
    make_settings(tmp_path)
    (build,), (run,), (up, redis) = (typed(f"podman {word} ") for word in ("build", "run", "compose"))
    assert "--profile redis" in redis
    (tmp_path / "build.sh").write_text(BUILD.replace("@BUILD@", build))
    words = {"@RUN@": run, "@UP@": up, "@REDIS@": redis, "@SETTINGS@": settings()}
    (tmp_path / "run.sh").write_text(re.sub(r"@\w+@", lambda found: words[found[0]], RUN))
    try:
        told, whole = in_containers(tmp_path)
    finally:
        for name in ("system", "containers"):  # more than a gigabyte
            shutil.rmtree(tmp_path / name)
    assert "end" in told, whole
    assert (told["health"], told["user"], told["port"]) == ("ok\n", "10460\n", "open\n"), whole
    keys = re.findall(r'"key": "(\w+)"', told["keeps-its-key"])
    assert len(keys) == 2 and keys[0] == keys[1], whole
    assert told["code"].strip() == "0", whole
    (target,) = json.loads(told["targets"])["data"]["activeTargets"]
    assert target["health"] == "up" and target["scrapeUrl"] == "http://lobby:7461/metrics", whole
    rules = [rule for group in json.loads(told["rules"])["data"]["groups"] for rule in group["rules"]]
    assert len(rules) > 5 and all(not rule.get("lastError") for rule in rules), whole
    for name in ("both", "again"):
        assert json.loads(told[name])["processes"] == ["one", "two"], whole
    assert told["second-port"] == "open\n" and told["kept"] == "yes\n", whole
