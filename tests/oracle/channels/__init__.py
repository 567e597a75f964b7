"""Random programs: rows of two sources, with planted words in them, go through many *channels* into three outputs.

A channel is a function of one of the modules here. It takes frames of the program and gives another, in which their
values may stand; how they come there is its own: by a plan, by files and tables, by a stream, or through the program's
own values. All frames have the columns ``id``, ``a`` and ``b``, so that channels follow each other in any order.
"""
