"""Instructions of every supported Python version, normalised to one small set."""
