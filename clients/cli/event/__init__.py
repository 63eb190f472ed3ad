"""Tournaments in the terminal: the organiser's commands, and a player's way to a table."""
