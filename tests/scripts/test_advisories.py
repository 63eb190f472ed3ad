"""`scripts/advisories` names what is known about locked packages, and says when it could not ask."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .building import ROOT

LOCK = "".join(
    f"{package} \\\n    --hash=sha256:{'0' * 64}\n" for package in ("quay==1.0", "rope==2.5 ; sys_platform == 'win32'")
)
ADVISORY = {
    "id": "PYSEC-2026-1",
    "aliases": ["CVE-2026-1234"],
    "fixed_in": ["2.6"],
    "summary": "A knot comes undone.",
    "withdrawn": None,
}


class Index(BaseHTTPRequestHandler):
    """A package index that knows about one package."""

    answers: dict[str, object]

    def do_GET(self) -> None:
        known = self.answers.get(self.path)
        self.send_response(200 if known is not None else 404)
        self.end_headers()
        if known is not None:
            self.wfile.write(json.dumps(known).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def index() -> Iterator[str]:
    Index.answers = {"/quay/1.0/json": {"vulnerabilities": []}, "/rope/2.5/json": {"vulnerabilities": []}}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def ask(folder: Path, index: str) -> tuple[int, str]:
    lock = folder / "some.lock"
    lock.write_text(LOCK)
    command = [sys.executable, str(ROOT / "scripts" / "advisories"), "--index", index, str(lock)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.stderr == ""
    return run.returncode, run.stdout


def test_nothing_known_is_said(tmp_path: Path, index: str) -> None:
    assert ask(tmp_path, index) == (0, "no advisory is known for 2 packages\n")


def test_an_advisory_is_named_and_fails(tmp_path: Path, index: str) -> None:
    Index.answers["/rope/2.5/json"] = {"vulnerabilities": [ADVISORY]}
    expected = "rope 2.5: PYSEC-2026-1 CVE-2026-1234; fixed in 2.6. A knot comes undone.\n"
    assert ask(tmp_path, index) == (1, expected)


def test_a_withdrawn_advisory_does_not_count(tmp_path: Path, index: str) -> None:
    Index.answers["/rope/2.5/json"] = {"vulnerabilities": [{**ADVISORY, "withdrawn": "2026-02-01T00:00:00Z"}]}
    assert ask(tmp_path, index)[0] == 0


def test_an_advisory_is_named_though_other_packages_could_not_be_asked_about(tmp_path: Path, index: str) -> None:
    Index.answers = {"/rope/2.5/json": {"vulnerabilities": [ADVISORY]}}
    code, said = ask(tmp_path, index)
    assert code == 1 and "PYSEC-2026-1" in said and "SKIPPED: 1 of 2 packages could not be asked about" in said


@pytest.mark.parametrize("answer", [None, "text", {}, {"vulnerabilities": None}])
def test_an_index_that_does_not_answer_is_said_and_does_not_fail(tmp_path: Path, index: str, answer: object) -> None:
    Index.answers = {} if answer is None else {"/quay/1.0/json": answer, "/rope/2.5/json": answer}
    code, said = ask(tmp_path, index)
    assert code == 0 and said.startswith("SKIPPED: 2 of 2 packages could not be asked about (quay 1.0: ")


def test_no_network_is_said_and_does_not_fail(tmp_path: Path) -> None:
    code, said = ask(tmp_path, "http://127.0.0.1:9")
    assert code == 0 and said.startswith("SKIPPED: 2 of 2 packages")
