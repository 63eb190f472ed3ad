"""A lobby process with pages, asked over HTTP as programs do."""

from __future__ import annotations

import gzip
import http.client
import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lobby.child import LobbyProcess

FILES = Path(__file__).parents[2] / "frozen" / "files"


@dataclass
class Got:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class PagesProcess(LobbyProcess):
    """`kontor lobby --pages` with a folder of published files."""

    def __init__(self, data: Path, names: tuple[str, ...], settings: str = "", top: str = "") -> None:
        self.folder = data.parent / "files"
        self.folder.mkdir(exist_ok=True)
        for name in names:
            shutil.copy(FILES / f"{name}.kontor", self.folder)
        toml = data.parent / "lobby.toml"
        toml.write_text(f'{top}\n[pages]\nfiles = "{self.folder}"\n{settings}\n', encoding="utf-8")
        super().__init__(data, 0, "--config", str(toml), "--pages", "127.0.0.1:0")
        self.base = f"http://127.0.0.1:{self.ready['pages']}"

    def get(self, path: str, headers: Mapping[str, str] | None = None, method: str = "GET") -> Got:
        """Ask for something."""
        connection = http.client.HTTPConnection("127.0.0.1", self.ready["pages"], timeout=60)
        try:
            connection.request(method, path, headers=dict(headers or {}))
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Got(answer.status, found, gzip.decompress(body) if found.get("content-encoding") == "gzip" else body)

    def wait_for_matches(self, count: int) -> list[dict[str, Any]]:
        """The published matches as soon as there are so many."""
        until = time.monotonic() + 90
        while True:
            rows: list[dict[str, Any]] = self.get("/api/1/matches").json["matches"]
            if len(rows) >= count:
                return rows
            assert time.monotonic() < until, rows
            time.sleep(0.3)
