"""The ports, written once over the rows that a database returns.

A store is a connection, and its statements in the language of its database (``statements``). What is made of the rows,
and which statement follows which, is here, for all stores.
"""
