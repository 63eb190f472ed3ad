"""A match in plain lines."""
