"""Which columns a value may be taken from, and under which conditions each: the branches of CASE and COALESCE."""

from __future__ import annotations

from collections.abc import Iterator

from headwater_backend.active.reading import Of
from headwater_backend.active.terms import TRUE, Applied, Term, Variable

Guards = tuple[Term, ...]


def values_in(term: Term, guards: Guards = ()) -> Iterator[tuple[Of, Guards]]:
    """The columns whose values are in the term, each with what must be true for that."""
    match term:
        case Variable(name=Of() as of):
            yield of, guards
        case Applied(op="case", args=args):
            passed = guards
            for predicate, value in zip(args[::2], args[1::2], strict=False):
                yield from values_in(value, (*passed, predicate))
                passed = (*passed, _is_not_true(predicate))
            if len(args) % 2:
                yield from values_in(args[-1], passed)
        case Applied(op="coalesce", args=args):
            passed = guards
            for value in args:
                yield from values_in(value, passed)
                passed = (*passed, Applied("isnull", (value,)))
        case Applied(args=args):
            for each in args:
                yield from values_in(each, guards)
        case _:
            return


def _is_not_true(predicate: Term) -> Term:
    return Applied("coalesce", (Applied("not", (predicate,)), TRUE))
