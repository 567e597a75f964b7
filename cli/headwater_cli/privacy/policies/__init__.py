"""Commands that judge by policies: whether they are satisfied, and in which countries data may be."""
