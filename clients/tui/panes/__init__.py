"""What is drawn where: each pane turns what is known into lines of a given size."""
