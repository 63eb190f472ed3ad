"""The full screen: a match in the terminal with board, menu, log and chat, as a client of the node's local API."""
