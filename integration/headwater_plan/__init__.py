"""Plans in a closed form, which no engine owns: what a query does, as few kinds of relations and expressions.

An engine's own plan is open: its classes are many, and differ between versions. A decoder of that engine
(``headwater_spark.decode``) makes one of these of it, and what looks into plans knows no other:

- ``nodes``: the relations and expressions, compared by identity, since a plan is a graph with shared parts;
- ``types``: the types of columns, with the steps of nested paths;
- ``declarations``: what somebody says of code that cannot be looked into;
- ``functions``: the names of functions, and which of them are operators;
- ``traversal``: what is inside a node, all that is below one, and the order in which to compute.

Functions have the names under which Spark documents them, whatever an engine's classes are called: the decoder makes
one function of those that differ only in how they are executed.
"""
