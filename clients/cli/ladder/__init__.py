"""`kontor ladder`: what a lobby's ladder says, checked by anybody."""
