"""Sealed decks: hidden cards and dice among peers who do not trust each other (docs/wire-sealed.md).

Pure machines: no I/O, no clock, no threads. Start reading at `card_table` (public state), `player` (secrets) and
`entries` (what a ledger drives: the order of messages).
"""
