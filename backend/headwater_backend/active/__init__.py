"""Active lineage: ways that no data can take are found, with proof. Pure functions over records.

Theory of operation
===================

A *step* is what one job does to make one dataset: its populations, as the agent reports them (``populations`` in
``headwater_conditions``). In: steps, and the edges of a passive answer. Out: the edges that data can take under all
that it has passed, and for each other edge the conditions that exclude each other.

*Preserved conditions.* A search goes from a path against the flow. Its state is a path with the conditions that a row
there must have passed further on, spoken of columns of that row. Going through a population, each column is replaced by
the population's expression for it, and what the population's own rows have passed is added. If no row can meet them
all together, nothing comes this way. If some can, what is left speaks of columns of the row that was read, and goes on.

    A.x  <-  job 2: WHERE region = 'EU'  <-  B.x  <-  job 1: SELECT 'US' AS region, x        'US' = 'EU': no way

*Soundness first.* Whatever is not known is a value of its own that may be anything: a column without an expression, a
function without a meaning here, a value that the reader of a file may see in another way than its writer. What decides
by the absence of rows is no condition. An edge that only influences is never excluded, and nothing is known of what
comes before it. Into a dataset that a step without populations writes, nothing is carried: it may change rows in place.

*Deciding.* Conditions on single columns are decided by sets of intervals (``regions``), the others by z3, with a limit
(``solving``). Undecided is possible. What excludes each other is made minimal, and can be checked apart: by trying all
values that matter, or by another solver (``checking``).

*Too many ways.* A search that is cut leaves out nothing to which a state may lead from which it did not go on, and says
by what those ways differ (``frontier``).

The rooms, from below: ``terms``, ``reading``; ``regions``, ``evaluating``; ``encoding``; ``deciding``; ``passages``,
``frontier``; ``ways``, ``checking``; ``words``.
"""

from __future__ import annotations

from typing import Final

MOST_STATES: Final = 20_000
"""The states that a search comes to before it stops, at the most."""
