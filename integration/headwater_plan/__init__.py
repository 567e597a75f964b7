"""Plans in a closed form, which no engine owns: what a query does, as few kinds of relations and expressions.

An engine's own plan is open: its classes are many, and differ between versions. A decoder of that engine
(``headwater_spark.decode``) makes one of these of it, and what looks into plans knows no other:

- ``nodes``: the relations and expressions, compared by identity, since a plan is a graph with shared parts;
- ``types``: the types of columns, with the steps of nested paths;
- ``declarations``: what somebody says of code that cannot be looked into;
- ``traversal``: what is inside a node, all that is below one, and the order in which to compute.

Names of functions are those of Catalyst's classes: the decoder makes one function of those that differ only in how
they are executed.
"""
