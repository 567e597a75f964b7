"""Texts in the world's scripts: which characters fonts have, where lines may end, what reads from right to left."""
