"""OpenLineage events: in come an execution and its lineage, out comes an event with its facets, as short text.

``FacetContext`` is what each builder of facets gets; ``events`` puts their facets together.
"""
