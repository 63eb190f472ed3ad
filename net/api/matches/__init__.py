"""Matches as clients see them."""
