"""A store that several lobby processes share: a Redis or Valkey server."""
