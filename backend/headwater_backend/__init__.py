"""The lineage backend: intake, stores, and the questions asked of them."""
