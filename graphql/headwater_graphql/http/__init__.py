"""HTTP and WebSocket transport of GraphQL."""
