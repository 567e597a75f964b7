"""Data paths, lineage vocabularies, and Headwater's own OpenLineage facets."""
