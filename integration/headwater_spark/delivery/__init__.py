"""Delivers events.

Input: an event, which is written to disk at once. Output: the event at each receiver, those of a run in order.

``Outbox`` accepts events; a ``Deliverer`` for each receiver sends them from a ``Spool``, a queue on disk, parks runs
that keep failing, and records problems in ``DeliveryHealth``. ``backlog`` is for what ended processes left.
"""
