"""Kontor as pip installs it, beside foreign packages and in hostile folders, on every Python of this machine.

Each environment is filled from the package index; where there is none, these tests say so and are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_documents import hosting_commands

from .building import ROOT, build, candidates, foreign_wheel, usable

pytestmark = pytest.mark.long  # each environment takes a minute to make

NAMES = ("engine", "net", "lobby", "clients")
SHADOWS = (  # what Kontor, its processes and its dependencies import
    *NAMES, "kontor_games", "tests", "scripts", "click", "msgspec", "twisted", "nacl", "cryptography",
    "random", "json", "struct", "signal", "multiprocessing", "subprocess", "tempfile", "dataclasses", "typing",
)  # fmt: skip
FOREIGN = "import sys\nname = __name__\nWHERE = __file__\n"
HOSTILE = (
    "import os\nopen(os.environ['HARMED'], 'a').write(__file__ + '\\n')\nraise SystemExit('harmed by ' + __file__)\n"
)
RECORDED = ROOT / "tests" / "frozen" / "files"


class Installed:
    """One environment with Kontor in it, and a working folder full of traps."""

    def __init__(self, python: Path, folder: Path) -> None:
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True, env=clean_environment())
        self.python = folder / "venv" / "bin" / "python"
        self.work = folder / "work"
        self.work.mkdir()
        self.home = folder / "home"
        self.harmed = folder / "harmed"

    def pip(self, *arguments: str | Path) -> None:
        run = subprocess.run(
            [self.python, "-m", "pip", "-q", "--disable-pip-version-check", *arguments],
            capture_output=True, text=True, check=False, cwd=self.home.parent, env=clean_environment(),
        )  # fmt: skip
        if "No matching distribution" in run.stderr or "Could not find a version" in run.stderr:
            pytest.skip(f"the package index does not have it: {run.stderr.splitlines()[-1]}")
        assert run.returncode == 0, run.stderr

    def run(self, *arguments: str | Path, code: int = 0) -> str:
        """One command in the hostile folder, to its end."""
        run = subprocess.run(
            [self.python.with_name("kontor"), *arguments],
            cwd=self.work, env=self.environment(), capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
        assert run.returncode == code, (run.stdout, run.stderr)
        assert "Traceback" not in run.stderr, run.stderr
        return run.stdout

    def says(self, code: str) -> str:
        """What this environment's Python prints, away from the hostile folder."""
        run = subprocess.run([self.python, "-P", "-c", code], capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def environment(self) -> dict[str, str]:
        own = {"KONTOR_HOME": str(self.home), "KONTOR_BIND": "127.0.0.1", "KONTOR_LAN": "0", "HARMED": str(self.harmed)}
        return {**clean_environment(), **own}

    def top_level(self) -> set[str]:
        where = self.says("import sysconfig; print(sysconfig.get_path('purelib'))")
        return {path.name for path in Path(where).iterdir() if path.name != "__pycache__"}


def clean_environment() -> dict[str, str]:
    hidden = re.compile("PYTHON|COV_|COVERAGE|VIRTUAL_ENV|KONTOR")
    return {key: value for key, value in os.environ.items() if not hidden.match(key)}


def foreign(folder: Path) -> Path:
    """One-file modules called like our rooms, and two that are called like standard ones."""
    modules = {f"{name}.py": FOREIGN for name in NAMES} | {"random.py": HOSTILE, "selectors.py": HOSTILE}
    return foreign_wheel(folder, "engine", modules)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module", params=sorted(candidates()))
def installed(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installed]:
    """Kontor's dependencies, then a foreign package, then Kontor."""
    folder = tmp_path_factory.mktemp("installed")
    here = Installed(usable(request.param), folder)
    here.pip("install", wheel)
    here.pip("uninstall", "--yes", "kontor-games")
    here.pip("install", "--no-index", foreign(folder))
    before = here.top_level()
    here.pip("install", "--no-index", wheel)
    assert here.top_level() - before == {"kontor_games", "kontor_games-0.1.0.dist-info"}
    for name in SHADOWS:
        (here.work / f"{name}.py").write_text(HOSTILE)
    yield here
    here.run("node", "stop")
    assert not here.harmed.exists(), here.harmed.read_text()


def test_it_says_its_version_and_its_games(installed: Installed) -> None:
    assert installed.run("--version").startswith("kontor 0.1.0")
    games = json.loads(installed.run("games", "--json"))
    assert {game["id"] for game in games} == {"hansa", "joban", "osaka", "yokohama"}


def test_an_expert_moves_as_on_every_other_python(installed: Installed) -> None:
    """Run from the hostile folder, by the installed engine and bots alone."""
    said = subprocess.run(
        [installed.python, "-P", ROOT / "tests" / "clients" / "expert_moves.py"],
        cwd=installed.work, env=installed.environment(), capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert json.loads(said) == json.loads((ROOT / "tests" / "golden" / "expert.json").read_text(encoding="utf-8"))


def test_nodes_play_a_sealed_match(installed: Installed) -> None:
    assert installed.run("demo", "--game", "osaka", "--seats", "2").rstrip().endswith("verified")


def test_files_are_verified_by_one_process_and_by_several(installed: Installed) -> None:
    assert "verified" in installed.run("verify", RECORDED / "osaka-2.kontor")
    several = installed.run("verify", RECORDED / "osaka-2.kontor", RECORDED / "joban-2-forfeit.kontor", "--jobs", "2")
    assert several.count(": verified") == 2


def test_the_node_serves_every_file_of_the_web_client(installed: Installed) -> None:
    said = installed.run("node", "start")
    address = re.search(r"http://127\.0\.0\.1:\d+/", said)
    assert address is not None, said
    web = ROOT / "clients" / "web"
    with urllib.request.urlopen(address[0]) as page:
        assert page.read() == (web / "index.html").read_bytes()
    for path in [
        path for path in web.rglob("*") if path.suffix in (".js", ".css", ".svg") and "eslint" not in path.name
    ]:
        with urllib.request.urlopen(address[0] + path.relative_to(web).as_posix()) as served:
            assert served.read() == path.read_bytes(), path


def test_bots_play_in_the_node(installed: Installed) -> None:
    """The node starts the bots' process; it must find this copy of Kontor and nothing of the folder."""
    run = installed.run("play", "osaka", "--seats", "bot,bot", "--seed", "7", "--quiet")
    assert "Winner" in run or "Points" in run


def test_a_foreign_package_works_before_and_after(installed: Installed, tmp_path: Path) -> None:
    where = {name: installed.says(f"import {name}; print({name}.WHERE)") for name in NAMES}
    assert all(place.endswith(f"site-packages/{name}.py") for name, place in where.items())
    installed.pip("uninstall", "--yes", "engine")
    assert installed.run("games")
    installed.pip("install", "--no-index", foreign(tmp_path))
    assert installed.run("games")
    assert {name: installed.says(f"import {name}; print({name}.WHERE)") for name in NAMES} == where


def test_a_library_user_imports_the_rules_by_the_one_name(installed: Installed) -> None:
    code = "from kontor_games import engine; print(engine.load('osaka').title, engine.__file__)"
    said = installed.says(code)
    assert said.startswith("Merchants of Osaka") and "site-packages/kontor_games/engine" in said


def test_the_types_are_shipped(installed: Installed) -> None:
    assert (Path(installed.says("import kontor_games; print(kontor_games.__file__)")).parent / "py.typed").is_file()


def test_the_line_of_the_hosting_guide_brings_what_a_lobby_on_redis_needs(wheel: Path, tmp_path: Path) -> None:
    (line,) = [line for line, _ in hosting_commands() if line.startswith("pip install")]
    here = Installed(Path(sys.executable), tmp_path)
    here.pip(*shlex.split(line)[1:], "--find-links", wheel.parent)
    here.run("lobby", "--data", tmp_path / "data", "--store", "redis://127.0.0.1:1/0", code=3)  # nobody is there


def test_an_editable_install_uses_the_checkout(tmp_path: Path) -> None:
    here = Installed(Path(sys.executable), tmp_path)
    here.pip("install", "--no-deps", "--editable", ROOT)
    assert Path(here.says("import kontor_games; print(kontor_games.__path__[-1])")) == ROOT
    here.pip("uninstall", "--yes", "kontor-games")


def test_this_python_is_among_those_tried() -> None:
    assert usable(f"3.{sys.version_info.minor}").exists()
