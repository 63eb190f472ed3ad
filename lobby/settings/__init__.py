"""The operator's side: settings, counts, logs."""
