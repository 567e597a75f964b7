"""Policies in GraphQL: whether they hold, in which countries data are, and the least changes that end violations."""
