"""The lineage backend: ingestion of events, stores, questions, and the HTTP server."""
