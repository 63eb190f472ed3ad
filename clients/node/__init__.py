"""The connection of a client to the node."""
