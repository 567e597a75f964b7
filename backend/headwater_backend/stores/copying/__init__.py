"""Copies of stores: everything in a store as lines of JSON, its digest, and its way into another store."""
