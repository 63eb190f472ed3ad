"""How the full screen is drawn."""
