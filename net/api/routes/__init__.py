"""What clients can ask, one file per family."""
