"""What operators do with a lobby from a terminal."""
