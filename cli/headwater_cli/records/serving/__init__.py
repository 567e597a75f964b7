"""What ``headwater records serve`` answers, beside the data: which records made a value, and what became of records.

It is no part of the backend, which never has values. Strawberry's own engine is enough for it, as each question is one
call of ``headwater_records_spark``.
"""
