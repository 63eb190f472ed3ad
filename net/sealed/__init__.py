"""Sealed decks: hidden cards and dice among peers who do not trust each other (docs/wire-sealed.md).

Pure machines: no I/O, no clock, no threads. Start reading at `table` (public state), `player` (secrets),
`entries` (order of messages) and `dealer` (what a session drives).
"""
