"""The web client in a real browser."""
