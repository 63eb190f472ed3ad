"""What a lobby knows and decides, without sockets."""
