"""The local API: HTTP and one WebSocket on loopback, the way of every client to the node (docs/local-api.md)."""
