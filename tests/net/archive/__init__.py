"""Whole archives of match files."""
