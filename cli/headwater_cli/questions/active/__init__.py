"""Commands about conditions: proofs of active lineage, checks of the whole graph, and explanations."""
