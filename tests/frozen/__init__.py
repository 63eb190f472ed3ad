"""What the product said on one day, byte for byte, so that moving and renaming can be shown to change nothing.

    python -m tests.frozen check           compare this tree with `facts.json` and `files/`; name every difference
    python -m tests.frozen check FAMILY    compare one family of facts: golden, sealed, schedules, …
    python -m tests.frozen together DIR    play with nodes of another checkout; see together.py
    python -m tests.frozen record          add what is not recorded yet, such as facts of a new rules version

`facts.json` holds digests of everything that `check` works out anew: golden matches of every game, matches written as
local files, sealed matches played by a small world of sessions (their files are the same every time), examples of the
wire documents, verdicts, and what sessions say in 200 random schedules. `files/` holds files as they were written then:
matches, evidence, a lobby's database. They must open for as long as Kontor exists.
"""
