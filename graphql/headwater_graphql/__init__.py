"""The GraphQL face of the backend and the explorer page."""
