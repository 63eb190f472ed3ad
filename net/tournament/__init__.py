"""Tournaments: rounds drawn, results taken from verified files, everything in one signed folder."""
