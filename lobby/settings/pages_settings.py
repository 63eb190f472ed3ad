"""Settings of the lobby's pages: off unless they are given an address to listen on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from kontor_games.net.system.networks import plain_network
from kontor_games.net.wire.address import why_not_address

Text = Annotated[str, Meta(max_length=255)]


class PagesSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[pages]` of a configuration."""

    listen: str = ""  # host:port; empty: no pages
    url: Text = ""  # where people reach them, such as https://games.example.org; empty: where they listen
    hosts: Annotated[tuple[Text, ...], Meta(max_length=16)] = ()  # further names that browsers may ask for
    proxies: Annotated[tuple[Text, ...], Meta(max_length=16)] = ()  # whose X-Forwarded-For is believed
    certificate: str = ""  # PEM files, where no reverse proxy does the TLS
    private_key: str = ""
    files: str = ""  # a folder of finished matches (.kontor) that everybody may see
    ladder: str = ""  # a folder that a ladder publishes; empty: the one of this lobby, if it keeps one
    requests_per_second: Annotated[float, Meta(gt=0, le=10_000)] = 20  # of one address in the long run
    requests_burst: Annotated[float, Meta(gt=0, le=100_000)] = 400  # the pages are some 70 files on a first visit
    max_connections: Annotated[int, Meta(ge=8, le=100_000)] = 512
    max_files: Annotated[int, Meta(ge=1, le=100_000)] = 10_000  # the newest count
    workers: Annotated[int, Meta(ge=1, le=64)] = 1  # processes that judge files and prepare replays
    cpu_seconds: Annotated[int, Meta(ge=1, le=3600)] = 60  # of a processor, for one file
    memory: Annotated[int, Meta(ge=64 * 1024 * 1024, le=1 << 40)] = 1 << 30  # bytes of one such process
    cache_bytes: Annotated[int, Meta(ge=1024 * 1024, le=1 << 50)] = 1 << 30  # of prepared replays on the disk

    @property
    def shown_at(self) -> str:
        """Where everybody sees the matches of this lobby's own ladder; empty if nowhere."""
        return self.url.rstrip("/") if self.listen and not self.ladder else ""


def faults_of_pages(pages: PagesSettings) -> list[str]:
    """Why these settings cannot work together, or with this machine's files."""
    faults = []
    if pages.listen and not pages.listen.endswith(":0") and (reason := why_not_address(pages.listen)):
        faults.append(f"pages.listen: {reason}")
    url = urlsplit(pages.url)
    if pages.url and (url.scheme not in ("http", "https") or not url.netloc or url.path.strip("/") or url.query):
        faults.append(f"pages.url: {pages.url!r} is not like https://games.example.org")
    for proxy in pages.proxies:
        try:
            plain_network(proxy)
        except ValueError:
            faults.append(f"pages.proxies: {proxy!r} is not an address or network")
    if bool(pages.certificate) != bool(pages.private_key):
        faults.append("pages.certificate and pages.private_key go together; give both or neither")
    pair = (("certificate", pages.certificate), ("private_key", pages.private_key))
    faults += [f"pages.{name}: {file} does not exist" for name, file in pair if file and not Path(file).is_file()]
    folders = (("files", pages.files), ("ladder", pages.ladder))
    faults += [f"pages.{name}: there is no folder {it}" for name, it in folders if it and not Path(it).is_dir()]
    return faults
