"""GraphQL over HTTP and WebSockets."""
