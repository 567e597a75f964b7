"""The HTTP server: in come events and questions, out come answers, health and metrics.

The GraphQL routes are given to it by whoever composes the application.
"""
