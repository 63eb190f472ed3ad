"""Which files belong to one match: the only place that knows how they are called.

A network match is called by the beginning of its id. Its files lie in the folder `matches` of a home:

    <name>.journal   terms, then every message as it was signed or became part of the chain
    <name>.signed    the second place of our own messages (`own_words.py`)
    <name>.secret    the table secret, as long as it is needed
    <name>.kontor    the transcript
    <name>.reports/  evidence and reports
    <name>.peers     where its peers are called
    <name>.lobby     the lobby that it came from
    <name>.draft     what the player of this node has drafted, or committed and not sent
    <name>.page      where everybody sees it, as the lobby of its ladder says
    <name>.handin    its file is still to be handed to the lobby's ladder
    <name>.done      empty: the match is complete, and nothing is left to be done for it
    <name>.about     its summary, once it is over

A local match lies in a transcript whose name anybody may choose, with the rest beside it:

    <name>.kontor        the transcript, which is its journal too
    <name>.kontor.seed   its seed, while the match lasts; it tells all cards
    <name>.kontor.draft  what is drafted
    <name>.about         its summary, once it is over

A transcript that was brought here from elsewhere has only an `.about`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TRANSCRIPT = ".kontor"
_JOURNAL = ".journal"
_ABOUT = ".about"
_SEED = ".seed"
_PAGE = ".page"


def match_name(match: bytes) -> str:
    """What a match is called in file names and in the local API."""
    return match.hex()[:32]


@dataclass(frozen=True)
class MatchFiles:
    """The paths of one network match."""

    directory: Path
    name: str

    @classmethod
    def of(cls, directory: Path, match: bytes) -> MatchFiles:
        """Those of the match with this id."""
        return cls(directory, match_name(match))

    @classmethod
    def beside(cls, path: Path) -> MatchFiles:
        """Those of the match that has this file, its journal for example."""
        return cls(path.parent, path.stem)

    @property
    def journal(self) -> Path:
        return self._path(_JOURNAL)

    @property
    def signed(self) -> Path:
        return self._path(".signed")

    @property
    def secret(self) -> Path:
        return self._path(".secret")

    @property
    def transcript(self) -> Path:
        return self._path(TRANSCRIPT)

    @property
    def reports(self) -> Path:
        return self._path(".reports")

    @property
    def peers(self) -> Path:
        return self._path(".peers")

    @property
    def lobby(self) -> Path:
        return self._path(".lobby")

    @property
    def draft(self) -> Path:
        return self._path(".draft")

    @property
    def handing_in(self) -> Path:
        return self._path(".handin")

    @property
    def done(self) -> Path:
        return self._path(".done")

    @property
    def is_done(self) -> bool:
        """Whether the match is complete."""
        return self.done.exists()

    def delete_secret(self) -> None:
        """The deck keys are open: the table secret is not needed any more."""
        self.secret.unlink(missing_ok=True)

    def delete_draft(self) -> None:
        """What was drafted is sent."""
        self.draft.unlink(missing_ok=True)

    def _path(self, suffix: str) -> Path:
        return self.directory / f"{self.name}{suffix}"


@dataclass(frozen=True)
class LocalFiles:
    """The paths of one local match."""

    transcript: Path

    @classmethod
    def named(cls, directory: Path, name: str) -> LocalFiles:
        """Those of a match with this name in a home."""
        return cls(directory / f"{name}{TRANSCRIPT}")

    @property
    def seed(self) -> Path:
        return self.transcript.with_name(self.transcript.name + _SEED)

    @property
    def draft(self) -> Path:
        return self.transcript.with_name(self.transcript.name + ".draft")

    @property
    def guide(self) -> Path:
        return self.transcript.with_name(self.transcript.name + ".guide")

    @property
    def goes_on(self) -> bool:
        """Whether the match is not over yet."""
        return self.seed.exists()

    def delete_secrets(self) -> None:
        """The match is over: the seed lies in the transcript itself, and nobody drafts any more."""
        self.seed.unlink(missing_ok=True)
        self.draft.unlink(missing_ok=True)
        self.guide.unlink(missing_ok=True)

    def delete(self) -> None:
        """Nobody was told of this match."""
        self.delete_secrets()
        self.transcript.unlink(missing_ok=True)


def about_path(transcript: Path) -> Path:
    """Where the summary of the match in a transcript lies."""
    return transcript.with_suffix(_ABOUT)


def page_path(transcript: Path) -> Path:
    """Where it is written down where everybody sees the match in a transcript."""
    return transcript.with_suffix(_PAGE)


def network_matches(directory: Path) -> list[MatchFiles]:
    """The network matches that were begun in this folder, done or not."""
    return [MatchFiles.beside(path) for path in sorted(directory.glob(f"*{_JOURNAL}"))]


def local_matches(directory: Path) -> list[LocalFiles]:
    """The local matches in this folder that go on."""
    found = (LocalFiles(path) for path in sorted(directory.glob(f"*{TRANSCRIPT}")))
    return [files for files in found if files.goes_on]


def finished_matches(directory: Path) -> Iterator[tuple[Path, Path]]:
    """Transcript and summary of every match in this folder that has a summary."""
    for path in sorted(directory.glob(f"*{_ABOUT}")):
        yield path.with_suffix(TRANSCRIPT), path


def transcripts(directory: Path) -> list[Path]:
    """The transcripts in this folder that can be shown: those of local matches that go on cannot."""
    return [path for path in directory.glob(f"*{TRANSCRIPT}") if not LocalFiles(path).goes_on]
