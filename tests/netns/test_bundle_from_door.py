"""A laptop with an empty home and no way to the internet: Kontor from the host's door, installed, and a sealed match.

Needs root and ip; the laptop's Python is the one that runs the tests, as it was before any of our packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kontor_games.clients.node.node_link import Refused

from .parties import FarNodes, agree
from .wires import Wires, run, why_not, wires

pytestmark = [pytest.mark.netns, pytest.mark.long]
SECONDS = 120.0
LAPTOP = "10.77.0.2"

# What a person does on the laptop: open the page, read what is needed, download, compare, unpack.
FETCH = """
import hashlib, re, sys, urllib.request, zipfile
page = urllib.request.urlopen(sys.argv[1] + "bundle", timeout=10).read().decode()
needs, link = page.index("Python 3.11 or newer"), page.index("<a href=")
assert needs < link, "it is said before the download"
name = re.search(r'href="/(bundle/[^"]+)"', page)[1]
data = urllib.request.urlopen(sys.argv[1] + name, timeout=60).read()
assert hashlib.sha256(data).hexdigest() in page
open("bundle.zip", "wb").write(data)
zipfile.ZipFile("bundle.zip").extractall(".")
"""


@pytest.fixture
def net() -> Iterator[Wires]:
    if reason := why_not():
        pytest.skip(reason)
    with wires() as made:
        made.switch("switch")
        for number, name in enumerate(("anna", "laptop"), 1):
            made.add(name)
            made.plug(name, "switch", f"10.77.0.{number}/24")
        yield made


class LaptopNodes(FarNodes):
    """The node of the laptop is started by the program that was installed there."""

    def __init__(self, folder: Path, wires: Wires, program: Path) -> None:
        super().__init__(folder, wires, is_on_lan=True)
        self._command = (str(program), "node", "run", "--leashed", "--bind", "", "--lan")
        self.environment = bare(folder)


def bare(home: Path) -> dict[str, str]:
    """The environment of a machine on which nothing of ours is known."""
    return {"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8"}


def until(found: Callable[[], Any], seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.1)
    return value


def possible(job: Callable[[], object]) -> bool:
    try:
        job()
    except Refused:
        return False
    return True


def test_a_laptop_without_internet_gets_kontor_from_the_door_and_plays(tmp_path: Path, net: Wires) -> None:
    kontor = [sys.executable, "-m", "kontor_games.clients.entry"]
    with ExitStack() as stack:
        host = FarNodes(tmp_path, net, is_on_lan=True)
        stack.callback(host.stop)
        subprocess.run([*kontor, "bundle", "--offline", "--home", str(host.home("Anna"))], check=True, timeout=120)
        host.start("Anna")
        anna = host["Anna"]
        table = anna.post("tables", {"game": "osaka", "seats": 2})["id"]
        anna.post(f"tables/{table}/bot", {"seat": 0, "kind": "greedy", "name": "Anna"})
        url = anna.post("party", {"table": table})["url"]

        began = time.monotonic()
        home = tmp_path / "empty"
        home.mkdir()
        routes = run(*net.inside("laptop"), "ip", "route").splitlines()
        assert not any(route.startswith("default") for route in routes), routes
        python = Path(sys.base_prefix) / "bin" / "python3"
        for words in ([str(python), "-I", "-c", FETCH, url], [str(python), "-I", "kontor-bundle/install.py"]):
            done = subprocess.run(
                [*net.inside("laptop"), *words],
                cwd=home,
                env=bare(home),
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
            assert done.returncode == 0, done.stderr
        program = home / "kontor-bundle" / "kontor-games" / "bin" / "kontor"
        installed = time.monotonic() - began

        laptop = LaptopNodes(home, net, program)
        stack.callback(laptop.stop)
        laptop.start("Laptop")
        guest = laptop["Laptop"]
        guest.get("tables")
        until(lambda: any(each["id"] == table for each in guest.get("tables")["tables"]))
        guest.post(f"tables/{table}/enter")
        bot = {"seat": 1, "kind": "greedy", "name": "Linus"}
        until(lambda: possible(lambda: guest.post(f"tables/{table}/bot", bot)))
        match = agree(table, (anna, guest))
        until(lambda: guest.get(f"matches/{match}")["status"] == "over", SECONDS)
        took = time.monotonic() - began
        (file,) = (laptop.home("Laptop") / "matches").glob("*.kontor")
        judged = subprocess.run(
            [*net.inside("laptop"), str(program), "verify", "--require", "final", str(file)],
            env=bare(home), capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert judged.returncode == 0 and "verified: finished, signed by all 2" in judged.stdout, judged.stdout
        print(f"downloaded and installed after {installed:.1f} s, a sealed match played after {took:.1f} s")
        assert took < SECONDS
