"""The public course of one match, as everybody computes it."""
