"""The ways in which people play: by mouse, by keyboard, by touch, and by what a screen reader knows."""
