"""What was found in an archive, as files: pages, tables, statistics."""
