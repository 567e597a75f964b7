"""Paths, kinds and the OpenLineage facets that only Headwater has."""
