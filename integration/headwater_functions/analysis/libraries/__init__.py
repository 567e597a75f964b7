"""Functions of Python and its libraries, by dotted names: what their results are made of.

``results`` looks a function up in the ``table`` of rules, which stand by subject in the other modules. Without a rule,
what is in a module of ``pure`` does nothing but compute; what is in no table is code that is not read: its result may
hold whatever it can touch. What acts on the world outside makes the function opaque.
"""
