"""Wheels made from what runs here: Kontor's own, from a checkout or an installed copy, and those of its dependencies.

A host at a party may have no internet either. But all that a guest needs is on its disk: an installed distribution
lists its files with their hashes (`RECORD`), so it can be packed into a wheel again. Whatever was changed after it was
installed is refused, because nobody would know who changed it. A wheel of pure Python fits every machine; one with
compiled parts fits machines like this one, and its own tags say which.
"""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from kontor_games.engine.errors import StoreError

NAME: Final = "kontor-games"
LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes
_NOT_PACKED: Final = frozenset(("INSTALLER", "REQUESTED", "direct_url.json", "RECORD"))  # of this machine alone
_REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?[^;]*(?:;(.*))?")
_EXTRA: Final = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


def normal(name: str) -> str:
    """The one spelling of a distribution's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files; the same files give the same bytes."""
    raw = BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return raw.getvalue()


def requirements() -> dict[str, str]:
    """Everything that the Kontor that runs here needs, and what that needs: normal name and version, by name."""
    found: dict[str, str] = {}
    to_do = [(name, extras) for name, extras in _required(_own_requirements(), frozenset())]
    seen: set[tuple[str, frozenset[str]]] = set()
    while to_do:
        name, extras = to_do.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system than this one
        found[name] = distribution.version
        to_do += _required(distribution.requires or (), extras)
    return dict(sorted(found.items()))


def _required(lines: Any, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in lines:
        match = _REQUIREMENT.match(line)
        if match is None:
            raise StoreError(f"a requirement cannot be read: {line}")
        of_extras = set(_EXTRA.findall(match[3] or ""))
        if not of_extras or of_extras & extras:
            wanted = frozenset(each.strip() for each in (match[2] or "").split(",") if each.strip())
            yield normal(match[1]), wanted


def _own_requirements() -> list[str]:
    root = _checkout()
    if root is None:
        return metadata.requires(NAME) or []
    return list(_project(root)["dependencies"])


# ---- Kontor itself


def own_wheel() -> tuple[str, bytes]:
    """Name and bytes of the wheel of the Kontor that runs here."""
    root = _checkout()
    return installed_wheel(NAME) if root is None else _wheel_of_checkout(root)


def _checkout() -> Path | None:
    """The repository that this program runs from, None if it is installed."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / "scripts" / "package").is_dir() else None


def _project(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def _wheel_of_checkout(root: Path) -> tuple[str, bytes]:
    """What hatchling would build, by the same settings; a person who plays from a checkout need not have it."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    wheel, project = settings["targets"]["wheel"], _project(root)
    files = {}
    for folder in wheel["only-include"]:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            is_wanted = not {"__pycache__", "node_modules"} & set(path.parts) and path.suffix != ".pyc"
            if path.is_file() and is_wanted and name not in wheel["exclude"]:
                files[wheel["sources"][folder] + name.removeprefix(folder)] = path.read_bytes()
    stem = f"{NAME.replace('-', '_')}-{project['version']}"
    lines = [f"Name: {NAME}", f"Version: {project['version']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {each}" for each in project["dependencies"]]
    scripts = "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    files[f"{stem}.dist-info/METADATA"] = "\n".join(("Metadata-Version: 2.1", *lines, "")).encode()
    files[f"{stem}.dist-info/entry_points.txt"] = f"[console_scripts]\n{scripts}".encode()
    files[f"{stem}.dist-info/licenses/LICENSE"] = (root / "LICENSE").read_bytes()
    tag = b"Wheel-Version: 1.0\nGenerator: kontor\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{stem}.dist-info/WHEEL"] = tag
    return f"{stem}-py3-none-any.whl", zipped(_with_record(files, f"{stem}.dist-info"))


# ---- what is installed here


def installed_wheel(name: str) -> tuple[str, bytes]:
    """Name and bytes of a wheel made of an installed distribution; StoreError if it is not as it was installed."""
    distribution = metadata.distribution(name)
    info = ""
    files: dict[str, bytes] = {}
    for each in distribution.files or ():
        if each.parts[0] == ".." or each.is_absolute() or "__pycache__" in each.parts:
            continue  # programs in bin, which are made anew; caches
        if each.parts[0].endswith(".dist-info"):
            info = each.parts[0]
            if each.name in _NOT_PACKED:
                continue
        data = Path(str(distribution.locate_file(each))).read_bytes()
        if each.hash is not None and each.hash.mode == "sha256" and each.hash.value != _hash(data):
            raise StoreError(f"{name}: {each} was changed after it was installed; install {name} again")
        files[str(each)] = data
    if not info or f"{info}/WHEEL" not in files:
        raise StoreError(f"{name} was not installed from a wheel, so it cannot be passed on; install it again with pip")
    tags = re.findall(r"^Tag: (\S+)$", files[f"{info}/WHEEL"].decode(), re.MULTILINE)
    return f"{info.removesuffix('.dist-info')}-{joined_tag(tags)}.whl", zipped(_with_record(files, info))


def joined_tag(tags: list[str]) -> str:
    """The tags of a wheel as its file name has them: `py2.py3-none-any`."""
    parts = [list(dict.fromkeys(column)) for column in zip(*(tag.split("-") for tag in tags), strict=True)]
    return "-".join(".".join(part) for part in parts)


def _with_record(files: Mapping[str, bytes], info: str) -> dict[str, bytes]:
    rows = [f"{_quoted(name)},sha256={_hash(data)},{len(data)}" for name, data in sorted(files.items())]
    return {**files, f"{info}/RECORD": "\n".join((*rows, f"{info}/RECORD,,", "")).encode()}


def _quoted(name: str) -> str:
    return f'"{name}"' if "," in name else name


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
