"""Tables, lobbies and links as clients see them."""
