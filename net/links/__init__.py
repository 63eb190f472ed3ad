"""TLS connections between nodes."""
