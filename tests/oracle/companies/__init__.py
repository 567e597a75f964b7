"""Random companies: what is stated of their data is compared with what their files hold.

A *company* (``generator``) has sources with records of people, and jobs in several nights that read, change and write
data, with copies outside Spark in between; it is the same for a seed. Each value of a person is a *token*, long enough
to be found again by a search. ``executor`` executes the jobs under the agent; each night is an application of its own.
``search`` reads the written files, without any lineage, and finds the tokens in them: as they are, in part, encoded,
hashed, and what a decision wrote instead of them. ``answers`` asks the privacy questions about the same company, by
rules for the sources alone. ``comparison`` gives the *misses*: a token that can be read in a dataset of which no answer
says so, and no gap on the way.

    python -m oracle.companies --seeds 0:500 --report report.txt
    python -m oracle.companies --seeds 17 --show
"""
