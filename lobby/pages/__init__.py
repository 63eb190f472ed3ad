"""Read-only pages of a lobby for people without Kontor: hall, matches with replay and verdict, JSON API, feed."""
