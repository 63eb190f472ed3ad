"""Where the lobby keeps what must outlive it: one interface, several stores behind it."""
