"""What stores over SQL databases share: the statements, and what writes, searches and copies by them.

A store of one database adds a connection and a transaction (``sqlite/transaction.py``), the file of its tables, and
what its grammar wants otherwise. The texts keep to what SQL databases have in common, and to this:

- lists are passed as JSON, of which ``json_each`` makes rows with a ``value``; ``json_array``, ``json_group_array`` and
  ``json_extract`` are SQLite's, and a column named ``[json]`` is read as JSON;
- ``names_searched``, ``steps_searched``, ``dataset_part`` and ``united`` are functions of Python that the connection
  has (``labels``, ``domain.node_keys``, ``domain.records``);
- ``min`` and ``max`` of several values, of which one may be NULL, are inside ``coalesce``; texts are compared by their
  bytes; ``CROSS JOIN … ON`` is a join whose left side is looked at first.
"""
