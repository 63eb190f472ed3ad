"""Run a chain from nothing and print the canonical bytes of its last state.

`python -m kontor_games.net.record.clean_replay FILE`, in a process of its own: a node asks it who is right.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kontor_games import engine

from .proof import prove
from .transcript import Placed, open_file, read


def main(path: str) -> None:
    """The state after the whole chain, on standard output."""
    with open_file(Path(path)) as file:
        records = [item for item in read(file) if isinstance(item, Placed)]
    proven = prove(records, engine.load)
    sys.stdout.buffer.write(proven.ledger.state_bytes())


if __name__ == "__main__":
    main(sys.argv[1])
