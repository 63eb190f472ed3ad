"""A bundle as a host offers it to guests: the newest one in the home, what it is made for, and a page that says so."""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import StoreError

from .bundle import FOLDER

PLACE: Final = "bundle"  # in the home
_NAME: Final = re.compile(r"kontor-bundle-[A-Za-z0-9.+]{1,40}\.zip")
_MAX_TEXT: Final = 64 * 1024


@dataclass(frozen=True)
class BundleOffer:
    """A bundle that can be downloaded."""

    path: Path
    size: int
    digest: str  # SHA-256 of the file, in hex
    made_for: tuple[str, ...]

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def mark(self) -> str:
        """The beginning of the digest, in groups that people can compare: 80 bits."""
        return grouped(self.digest[:20])


def grouped(digest: str) -> str:
    """Hex digits in groups of four."""
    return " ".join(digest[place : place + 4] for place in range(0, len(digest), 4))


def bundle_name(version: str) -> str:
    """The file's name for a version of Kontor."""
    return f"kontor-bundle-{version}.zip"


def files(home: Path) -> tuple[tuple[int, str, int], ...]:
    """All bundles in this home: when each was made, its name, its size. It reads none of them."""
    paths = [path for path in (home / PLACE).glob("kontor-bundle-*.zip") if _NAME.fullmatch(path.name)]
    return tuple((about.st_mtime_ns, path.name, about.st_size) for path in paths if (about := _about(path)) is not None)


def _about(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None  # somebody has just removed it


def newest(home: Path) -> BundleOffer | None:
    """The bundle that was made last in this home, None if there is none. It reads the whole file: keep the answer."""
    found = files(home)
    if not found:
        return None
    path = home / PLACE / max(found)[1]
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        with zipfile.ZipFile(path) as archive:
            entry = archive.getinfo(f"{FOLDER}/MADE_FOR.txt")
            text = archive.read(entry).decode() if entry.file_size <= _MAX_TEXT else ""
    except (OSError, KeyError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise StoreError(f"{path.name} cannot be read: {error}") from None
    made_for = tuple(line.strip() for line in text.splitlines() if line.strip())
    return BundleOffer(path, path.stat().st_size, digest, made_for)


def by_system(made_for: Iterable[str]) -> list[str]:
    """«Linux (ARM), Python 3.11, 3.12»: one line for each system."""
    found: dict[str, list[str]] = {}
    for kind in made_for:
        system, _, version = kind.partition(", Python ")
        found.setdefault(system, []).append(version)
    return [f"{system}, Python {', '.join(versions)}" for system, versions in found.items()]


def page(offer: BundleOffer, host: str, href: str) -> str:
    """The page on which a guest finds the bundle at `href`: what it needs, whom it trusts, how it is checked. HTML
    without script; its style is the web client's."""
    kinds = "".join(f"<li>{escape(each)}</li>" for each in by_system(offer.made_for))
    name, link = escape(offer.name), escape(href, quote=True)
    return _framed(f"""<p><strong>You need a computer with Python 3.11 or newer.</strong>
Type <code>python3 --version</code> in a terminal
(Windows: <code>py --version</code>) before you download: without it this file is of no use to you. It is made for:</p>
<ul>{kinds}</ul>
<p>You would run the program of <strong>{escape(host)}</strong>, who hosts this party: install it only if you trust
them.</p>
<p><a href="{link}" download="{name}">Download {name}</a> ({offer.size / 1_000_000:.1f} MB)</p>
<p>Then compare its SHA-256 with the one on the host's screen. It begins with <strong>{offer.mark}</strong>:</p>
<pre>sha256sum {name}
shasum -a 256 {name}             (macOS)
certutil -hashfile {name} SHA256 (Windows)</pre>
<p>If it is the same, unpack the file and type in its folder:</p>
<pre>python3 install.py               (Windows: py install.py)
kontor-games/bin/kontor join     (Windows: kontor-games\\Scripts\\kontor join)</pre>
<p><small class="digest">SHA-256: {offer.digest}</small></p>""")


def no_page(host: str) -> str:
    """The same page where there is no bundle."""
    return _framed(
        f"<p><strong>{escape(host)}</strong> has not prepared a file for this. On the host's computer, while it has"
        " internet, or from an earlier file: <code>kontor bundle</code>. Then load this page again.</p>"
        "<p>A phone or a tablet needs no file: scan a code, or type the code on the host's screen.</p>"
    )


def _framed(body: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Install Kontor without internet</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style/theme.css">
<link rel="stylesheet" href="/style/base.css">
<link rel="stylesheet" href="/style/pages.css"></head>
<body><main><section class="panel narrow prose">
<h1>Install Kontor without internet</h1>
{body}
</section></main></body>
</html>
"""
