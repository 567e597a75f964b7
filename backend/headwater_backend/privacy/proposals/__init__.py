"""Proposals of paths that look personal, for stewards to decide on."""
