"""What the full screen shows and does, without drawing."""
