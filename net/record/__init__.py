"""Files that prove themselves: write, read, judge, step through."""
