"""Archives of match files for tests and figures."""
