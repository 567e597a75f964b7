"""The cut: the least changes of jobs that would end violations of policies.

Theory of operation
===================

A *place* is a path that a job writes; a *change* masks, aggregates or drops what the job writes there, at a cost
(``changes``, ``costs_file``). For each policy, ``routes`` follows the values of the attributes that violate it, state
by state, as the exposure does (``privacy.propagation``), and keeps the states from which a violation can be reached: a
graph whose steps each belong to a place. A change of a place takes its steps away, or lets them lead to a weaker form.

The least set of changes after which no violation is reached is a minimum cut of these graphs. A place has many steps,
of several attributes, forms and policies, which one change takes away together; so the cut is not one of a single flow,
but of flows that share their capacities. ``solving`` states it as the linear program that is dual to these flows, with
a variable for each change, and has HiGHS solve it in whole numbers. Where no place is shared, the program is the dual
of a single maximum flow, and its solution is whole by itself. What shares no place falls apart into *parts*, each of
which is solved by itself, and has alternatives of its own: the next cheapest sets of which none contains another.
"""
