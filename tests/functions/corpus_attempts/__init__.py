"""Functions in which an error decides what is done next."""
