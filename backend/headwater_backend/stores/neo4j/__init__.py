"""The server store: Neo4j, over Bolt."""
