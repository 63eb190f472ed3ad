"""What the sealed decks rest on: the group, the one proof, the shuffle. Bytes and numbers; no messages, no peers."""
