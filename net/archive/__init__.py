"""Whole archives of match files: judged by many processes or machines, compared, reported."""
