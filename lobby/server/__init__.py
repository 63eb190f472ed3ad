"""Connections to a lobby: who gets in, who is served next, what is relayed."""
