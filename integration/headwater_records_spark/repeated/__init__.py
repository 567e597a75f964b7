"""A plan that is run once more, where floating point numbers are added up in another order than the first time.

Beside each value that may then be another in its last digits, the plan gives the least and the greatest that it can be
(``aggregates``, ``intervals``, carried along by ``bounded``). Where such a value decides which records there are (a
filter, a key, a limit), it is looked whether every value in between decides alike (``decisions``); if that is not so,
or cannot be known, an UnrepeatableError has the reason.
"""
