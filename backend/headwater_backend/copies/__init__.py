"""Copies that no producer reported: directories that were moved or copied, tables that a tool exported.

A dataset that jobs only read, and nobody is known to write, came from somewhere. In come the datasets of a store with
what runs counted when they read and wrote them; out goes, for each such dataset, of which others it is probably a copy,
and why (``matching``, ``proposals``). No proposal is lineage: until a steward has decided it, answers about personal
data report it as a gap. A confirmed copy is stored as a run that copied the data, a refused one is not proposed again
(``stewardship``).
"""
