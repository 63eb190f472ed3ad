"""One user's node."""
