"""One peer's side of one match."""
