"""GraphQL schema of the backend, its HTTP routes, and the explorer page."""
