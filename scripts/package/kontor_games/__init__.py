"""Kontor: merchant board games peer to peer. The one name under which its rooms are imported (docs/adr/0022).

In an installed copy the rooms lie beside this file. In a checkout they lie at the top of the repository.
"""

from pathlib import Path

_here = Path(__file__).resolve().parent
if not (_here / "engine").is_dir():
    __path__.append(str(_here.parents[2]))
