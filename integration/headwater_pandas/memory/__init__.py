"""The memory that values are in: which objects have some in common, what is there, and what a change of it means."""
