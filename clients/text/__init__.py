"""Words, boards and tables of text that all text clients share."""
