"""Runs: in come the documents of an application, in order; out come the events of its runs, from START to the end."""
