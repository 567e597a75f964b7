"""What is in force: pure rules over records, without a store.

In come records as stores keep them: observations of lineage, changes of datasets' states and names, layouts, edges of
versions. Out goes what a question may take for true, now or at a moment:

- ``datasets``: what of all this is of whole datasets: changes that count, gaps, inputs and use;
- ``aliases``: the canonical name of each dataset, and ``closing``: what a DROP applied to;
- ``current``: the versions of an output's lineage that are current, and ``corrections``: what later statements about a
  run do not clear (``observed`` are the records of both);
- ``making``: under which conditions a version's runs made what may be in its output;
- ``copies``: where data went that were written to a dataset, and whether they may be left somewhere;
- ``found``: the datasets that were read before anybody is known to have written them;
- ``earlier``: the edges of lineage that is no longer current, whose data may be left;
- ``compared``: which stored path a reader's path is, by the ``layouts`` of writer and reader, ``among_readers``: by
  those of readers, where nobody is known to write, and ``drift``: when it is so;
- ``readings``: how runs read a dataset's paths;
- ``pruning``: the runs that no question needs any more.

Where a rule finds only step by step which records it needs, it asks for them by a protocol of a few functions
(``copies.History``), which stores implement with their statements and tests with a list.
"""
