"""Code of the user's that stands in a plan, and what can be read of it."""
