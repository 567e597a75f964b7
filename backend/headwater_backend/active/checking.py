"""Checks of proofs, apart from what found them: by trying all values that matter, and by another solver (cvc5).

Where conditions only compare, values differ in nothing but their order. So of each variable it is enough to try the
constants of the proof, as many values in each gap between two of them as there are variables, and NULL.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from enum import Enum
from fractions import Fraction
from importlib.util import find_spec
from itertools import pairwise, product
from math import prod
from typing import Any, Final

from headwater_backend.active.deciding import formulas
from headwater_backend.active.evaluating import evaluate
from headwater_backend.active.terms import (
    ARITHMETIC,
    TEXTUAL,
    Applied,
    Constant,
    Kind,
    Term,
    Token,
    Variable,
    after_prefix,
    kind,
    parts,
    prefix_of,
)

MOST_TRIALS: Final = 200_000
_NOT_BY_ORDER: Final = ARITHMETIC | TEXTUAL | {"cast", "length"}


class Checked(Enum):
    """TRIED: no values that matter meet the conditions. SOLVED: another solver says so. OPEN: neither could say."""

    TRIED = "TRIED"
    SOLVED = "SOLVED"
    OPEN = "OPEN"
    WRONG = "WRONG"


def check(conditions: Sequence[Term]) -> Checked:
    """Whether the conditions exclude each other; WRONG if values were found that meet them all."""
    domains = _domains(conditions)
    if domains is not None and prod(map(len, domains.values())) <= MOST_TRIALS:
        met = any(_holds(conditions, dict(zip(domains, v, strict=True))) for v in product(*domains.values()))
        return Checked.WRONG if met else Checked.TRIED
    return _by_another_solver(conditions) if find_spec("cvc5") and find_spec("z3") else Checked.OPEN


def _holds(conditions: Sequence[Term], values: dict[Hashable, Any]) -> bool:
    return all(evaluate(each, values) not in (False, None) for each in conditions)


def _domains(conditions: Sequence[Term]) -> dict[Hashable, list[Any]] | None:
    """By variable, the values that matter; None where these are not known."""
    found = [each for condition in conditions for each in parts(condition)]
    if any(isinstance(e, Token) or (isinstance(e, Applied) and e.op in _NOT_BY_ORDER) for e in found):
        return None
    variables = {each.name: kind(each) for each in found if isinstance(each, Variable)}
    if None in variables.values():
        return None
    return {name: [None, *_values(of, found, len(variables))] for name, of in variables.items()}


def _values(of: Kind | None, terms: Sequence[Term], many: int) -> list[Any]:
    if of is Kind.TRUTH:
        return [False, True]
    known = sorted(set(_constants(of, terms)))
    if of is Kind.TEXT:
        return [
            text for each in ["", *known] for text in (each, *(each + "\0" * (n + 1) for n in range(many)))
        ]
    step = 1 if of is Kind.WHOLE else Fraction(1, many + 1)
    if not known:
        return [step * n for n in range(many)]
    between = [
        low + step * n for low, high in pairwise(known) for n in range(1, many + 1) if low + step * n < high
    ]
    outside = [value for n in range(1, many + 1) for value in (known[0] - step * n, known[-1] + step * n)]
    return sorted({*known, *between, *outside})


def _constants(of: Kind | None, terms: Sequence[Term]) -> Iterator[Any]:
    for each in terms:
        if isinstance(each, Constant) and each.value is not None and kind(each) is of:
            yield each.value
        if isinstance(each, Applied) and each.op in ("like", "startswith") and of is Kind.TEXT:
            yield from _limits(each)


def _limits(pattern: Applied) -> Iterator[str]:
    texts = [a.value for a in pattern.args[1:] if isinstance(a, Constant) and isinstance(a.value, str)]
    for text in texts:
        prefix = text if pattern.op == "startswith" else prefix_of(text)
        following = after_prefix(prefix) if prefix else None
        yield from filter(None, (prefix, following))


def _by_another_solver(conditions: Sequence[Term]) -> Checked:
    """The same formulas, asked of cvc5."""
    import cvc5  # noqa: PLC0415 - an extra of the tests
    import z3  # noqa: PLC0415 - an extra, and large

    from headwater_backend.active.encoding import Encoder  # noqa: PLC0415 - needs z3

    asked = z3.Solver()
    asked.add(*formulas(Encoder(conditions), frozenset(conditions)))
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", "5000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic ALL)\n{asked.to_smt2()}", "proof")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer = command.invoke(solver, parser.getSymbolManager()).strip() or answer
    return {"unsat": Checked.SOLVED, "sat": Checked.WRONG}.get(answer, Checked.OPEN)
