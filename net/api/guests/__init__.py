"""Phones as guests of this node: the sealed channel, who may come in, and the door on the local network."""
