"""What ``headwater records serve`` answers, beside the data: which records made a value, with the records themselves.

It is no part of the backend, which never has values. Strawberry's own engine is enough for it: there are two questions.
"""
