"""Client side of GraphQL queries: store or server, node references, times, traversal options and pagination."""
