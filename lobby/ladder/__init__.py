"""A ladder that proves itself: which files count, what the ratings are, and how anybody can compute them again."""
