"""What we take from the operating system and the reactor."""
