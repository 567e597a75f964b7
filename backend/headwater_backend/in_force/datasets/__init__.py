"""What is in force of whole datasets: pure rules over records, without a store.

- ``outcomes``: whether what a run did to names and contents counts, and ``changes``: the links, drops, ends and states
  that follow from the changes that count;
- ``facets``: the newest state of each facet;
- ``gaps``: what is not known of the lineage into datasets and out of them;
- ``use``: which datasets have no inputs, are not read, and exist.
"""
