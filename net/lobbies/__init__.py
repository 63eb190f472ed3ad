"""The peer's half of a lobby."""
