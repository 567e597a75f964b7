"""Any job's lineage in the language of business mappings.

What a job does is stated by its populations where the agent sent them, by its own text where it is an imported mapping,
and by the edges alone where neither is known. What the language has no words for is a comment (a *remark*) at its
place: a clause that has one states less than the job does, and names all paths that it states it of.

The rooms, from below: ``clauses`` (terms as clauses); ``relations``, ``stated``, ``populated``, ``traced`` (the
mappings of a job by its text, its populations and its edges); ``question``.
"""
