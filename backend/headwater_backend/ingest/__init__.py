"""From OpenLineage events of any producer to records that a store can apply."""
