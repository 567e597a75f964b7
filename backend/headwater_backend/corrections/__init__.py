"""Corrections that stewards accept.

What is reported again about a run that had ended does not clear what was reported before (``in_force.corrections``). In
come the outputs of which that is so, and a steward's wishes; out go decisions, by which a store chooses again what is
current.
"""
