"""Builds OpenLineage events.

Input: an execution with its lineage. Output: an event with its facets, as compact JSON.

``FacetContext`` is the argument of each facet builder; ``events`` assembles their facets.
"""
