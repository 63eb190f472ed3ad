"""Agreeing on a match."""
