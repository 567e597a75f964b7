"""HTTP server: endpoints for events, health and metrics, and middleware.

The GraphQL routes are passed in when the application is composed.
"""
