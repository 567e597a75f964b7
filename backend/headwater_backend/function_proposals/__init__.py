"""Proposals of what user functions do, and the decisions of stewards about them.

In come mappings that a second opinion gave of functions whose code was not read; they are kept as decisions are, each
under a subject of its own. Nothing here is lineage: a job reports an accepted mapping once it is configured with it, as
declared by the steward who accepted it.
"""
