"""What executes the schema: declarations of types, permissions and limits of requests, pages, error codes."""
