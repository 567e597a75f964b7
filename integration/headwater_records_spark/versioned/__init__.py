"""Tables with versions: one small port, and Delta and Iceberg behind it.

A frame of such a table reads what is the newest version when it runs, but where the program names one. A file of a
version stays what it is; the rows of a version do not, as a later one may leave out rows of the same file.
"""
