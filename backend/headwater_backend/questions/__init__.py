"""Questions about the stored lineage: pure functions over the ports of a store."""
