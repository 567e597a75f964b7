"""Expressions as SQL, which Spark reads back as the same expression: what it does not is refused.

An expression is written with the columns' names of the frame that it stands over, first without the casts that Spark
puts
in by itself, then with them. Each text is analysed over the same attributes and compared with the original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.rowsets import id_of
from headwater_boundary.split.spelling import spelled
from headwater_records_spark.jvm import EXPRESSIONS, LOGICAL, Jvm, analysed, kind, listed

Names = Mapping[int, str]


class Texts:
    """Writes expressions of one session. ``function`` is asked for the name of a Python function."""

    def __init__(self, jvm: Jvm, function: Callable[[Any], str]) -> None:
        self.jvm = jvm
        self._function = function
        self._nil = jvm.seq([])
        self._known: dict[tuple[int, tuple[str, ...], str], list[tuple[Any, str]]] = {}

    def scalar(self, expression: Any, names: Names) -> str:
        """The text of an expression over single rows."""
        return self._checked(expression, names, "scalar")

    def generator(self, expression: Any, names: Names) -> str:
        """The text of a generator, such as ``explode``."""
        return self._checked(expression, names, "generator")

    def aggregate(self, expression: Any, names: Names) -> str:
        """The text of an aggregate."""
        return self._checked(expression, names, "aggregate")

    def _checked(self, expression: Any, names: Names, sort: str) -> str:
        expression = unaliased(expression)
        used = attributes(expression)
        missing = [each.name() for each in used if id_of(each) not in names]
        if missing:
            raise CannotSplitError(kind(expression), f"its columns {missing} are not at hand")
        key = int(expression.hashCode()), tuple(names[id_of(each)] for each in used), sort
        for known, text in self._known.get(key, ()):
            if known.equals(expression):
                return text
        renamed = [self._renamed(each, names) for each in used]
        tried: set[str] = set()
        for bare, stated in ((True, False), (False, False), (True, True), (False, True)):
            text = _Writing(self, names, used, bare=bare, stated=stated).text(expression)
            if text not in tried and self._is_same(expression, text, renamed, sort):
                self._known.setdefault(key, []).append((expression, text))
                return text
            tried.add(text)
        raise CannotSplitError(kind(expression), f"Spark does not read {text!r} back as the same expression")

    def _renamed(self, attribute: Any, names: Names) -> Any:
        return attribute.withName(names[id_of(attribute)]).withQualifier(self._nil)

    def _is_same(self, expression: Any, text: str, over: list[Any], sort: str) -> bool:
        relation = self.jvm.one(LOGICAL + "LocalRelation").apply(self.jvm.seq(over))
        frame: DataFrame = self.jvm.frame(relation)
        try:
            if sort == "generator":
                plan = analysed(frame.selectExpr(text))
                return kind(plan.child()) == "Generate" and self._alike(
                    plan.child().generator(), expression, text
                )
            column = F.expr(text).alias("c")
            plan = analysed(frame.agg(column) if sort == "aggregate" else frame.select(column))
        except Exception:  # noqa: BLE001 - a text that cannot be analysed is not the same
            return False
        found = _defined(plan)
        return found is not None and self._alike(found, expression, text)

    def _alike(self, found: Any, expression: Any, text: str) -> bool:
        if "CAST(NULL AS" in text:
            found = swapped(self.jvm, found, self._typed_null)
            expression = swapped(self.jvm, expression, self._typed_null)
        found, expression = (swapped(self.jvm, each, self._same_name) for each in (found, expression))
        return bool(found.canonicalized().equals(expression.canonicalized()))

    def _same_name(self, e: Any) -> Any:
        """A Python function under one name: what it does is in its pickle, which is compared."""
        return self.jvm.copy(e, _0="function") if kind(e) == "PythonUDF" else None

    def _typed_null(self, e: Any) -> Any:
        """A NULL of a type, of a cast of NULL to it: SQL has no other way to write it."""
        if kind(e) != "Cast" or kind(e.child()) != "Literal" or e.child().value() is not None:
            return None
        return self.jvm.one(EXPRESSIONS + "Literal").create(None, e.dataType())


def _defined(plan: Any) -> Any:
    """What the plan's only output is defined as."""
    name = kind(plan)
    if name == "Aggregate":
        return unaliased(listed(plan.aggregateExpressions())[0])
    if name != "Project":
        return None
    only = listed(plan.projectList())[0]
    if (
        kind(only) == "AttributeReference"
        and kind(plan.child()) == "Project"
        and kind(plan.child().child()) == "Window"
    ):
        plan = plan.child()
        only = next((e for e in listed(plan.projectList()) if id_of(e) == id_of(only)), only)
    if kind(plan.child()) == "Window":
        defined = {id_of(each): each for each in listed(plan.child().windowExpressions())}
        return unaliased(defined.get(id_of(unaliased(only)), only))
    return unaliased(only)


class _Writing:
    """One way to write: ``bare`` leaves out the casts that Spark puts in by itself, ``stated`` calls functions that the
    analyser replaces as the program called them.
    """

    def __init__(self, texts: Texts, names: Names, used: list[Any], *, bare: bool, stated: bool) -> None:
        self._texts = texts
        self._names = names
        self._used = {str(each.name()).lower(): each for each in used}
        self._bare = bare
        self._stated = stated
        self._pieces: dict[str, str] = {}

    def text(self, expression: Any) -> str:
        made = str(self._made(expression).sql())
        for _ in range(len(self._pieces)):
            for place, piece in self._pieces.items():
                made = made.replace(place, piece)
        return made

    def _made(self, e: Any) -> Any:  # noqa: PLR0911 - one for each sort of expression
        jvm, name = self._texts.jvm, kind(e)
        if name == "AttributeReference":
            return self._texts._renamed(e, self._names)
        if name == "NamedLambdaVariable":
            return self._piece(e, _variable(e))
        if name == "LambdaFunction":
            variables = [_variable(each) for each in listed(e.arguments())]
            given = variables[0] if len(variables) == 1 else f"({', '.join(variables)})"
            return self._piece(e, f"{given} -> {self._inner(e.function())}")
        if name == "PythonUDF":
            return self._called(e, self._texts._function(e), listed(e.children()))
        if name == "Alias":
            return self._made(e.child())
        if name == "UnresolvedAttribute" and (known := self._used.get(str(e.nameParts().last()).lower())):
            return self._made(known)
        if (replacement := replacement_of(e)) is not None:
            if self._stated:
                return self._called(e, str(e.prettyName()), listed(e.parameters()))
            return self._made(replacement)
        if (spelling := spelled(jvm, e, self._inner)) is not None:
            return self._piece(e, spelling)
        children = listed(e.children())
        if any(kind(each) == "LambdaFunction" for each in children):
            return self._called(e, str(e.prettyName()), children)
        if self._bare and name == "Cast" and not _is_users(jvm, e):
            return self._made(e.child())
        if not children:
            return e
        return e.withNewChildren(jvm.seq([self._made(each) for each in children]))

    def _called(self, e: Any, function: str, children: list[Any]) -> Any:
        return self._piece(e, f"{function}({', '.join(map(self._inner, children))})")

    def _inner(self, e: Any) -> str:
        return str(self._made(e).sql())

    def _piece(self, e: Any, text: str) -> Any:
        place = f"headwater_piece_{len(self._pieces)}_"
        self._pieces[place] = text
        return placeholder(self._texts.jvm, e.dataType(), place)


def placeholder(jvm: Jvm, data_type: Any, name: str) -> Any:
    """An attribute of this type and name."""
    literal = jvm.one(EXPRESSIONS + "Literal").create(None, data_type)
    return alias(jvm, literal, name).toAttribute()


def alias(jvm: Jvm, expression: Any, name: str) -> Any:
    """The expression under a name."""
    nothing = jvm.view.scala.Option.empty()
    new = jvm.one(EXPRESSIONS + "NamedExpression").newExprId()
    return jvm.type(EXPRESSIONS + "Alias")(expression, name, new, jvm.seq([]), nothing, jvm.seq([]))


def swapped(jvm: Jvm, expression: Any, instead: Callable[[Any], Any]) -> Any:
    """The expression with parts replaced: ``instead`` gives another part, or None to leave one as it is."""
    other = instead(expression)
    if other is not None:
        return other
    children = listed(expression.children())
    made = [swapped(jvm, each, instead) for each in children]
    if all(one is other for one, other in zip(made, children, strict=True)):
        return expression
    return expression.withNewChildren(jvm.seq(made))


def _variable(e: Any) -> str:
    return f"{e.name()}_{id_of(e)}"


def replacement_of(e: Any) -> Any:
    """What the analyser stands in the expression's place, as its child; None where it does not."""
    children = listed(e.children())
    if len(children) != 1:
        return None
    try:
        found = e.replacement()
    except Exception:  # noqa: BLE001 - py4j says so of a method that is not there
        return None
    return found if found.equals(children[0]) else None


def _is_users(jvm: Jvm, cast: Any) -> bool:
    tag = jvm.one(EXPRESSIONS + "Cast").USER_SPECIFIED_CAST()
    return bool(cast.getTagValue(tag).isDefined())


def unaliased(expression: Any) -> Any:
    """The expression without its name."""
    return expression.child() if kind(expression) == "Alias" else expression


def attributes(expression: Any) -> list[Any]:
    """The attributes in an expression, each once, in order."""
    found: dict[int, Any] = {}
    pending = [expression]
    while pending:
        each = pending.pop(0)
        if kind(each) == "AttributeReference":
            found.setdefault(id_of(each), each)
        pending[0:0] = listed(each.children())
    return list(found.values())


def quoted(name: str) -> str:
    """A column's name as SQL."""
    return (
        name
        if name.isidentifier() and name.isascii() and name.lower() not in _RESERVED
        else f"`{name.replace('`', '``')}`"
    )


_RESERVED = frozenset(
    [
        "all",
        "and",
        "anti",
        "any",
        "as",
        "asc",
        "between",
        "both",
        "by",
        "case",
        "cast",
        "check",
        "collate",
        "column",
        "constraint",
        "create",
        "cross",
        "current",
        "date",
        "desc",
        "distinct",
        "else",
        "end",
        "escape",
        "except",
        "exists",
        "false",
        "fetch",
        "filter",
        "for",
        "foreign",
        "from",
        "full",
        "grant",
        "group",
        "having",
        "in",
        "inner",
        "intersect",
        "interval",
        "into",
        "is",
        "join",
        "lateral",
        "leading",
        "left",
        "like",
        "limit",
        "natural",
        "not",
        "null",
        "on",
        "only",
        "or",
        "order",
        "outer",
        "overlaps",
        "primary",
        "references",
        "right",
        "select",
        "semi",
        "session_user",
        "set",
        "some",
        "table",
        "then",
        "time",
        "timestamp",
        "to",
        "trailing",
        "true",
        "union",
        "unique",
        "unknown",
        "user",
        "using",
        "when",
        "where",
        "with",
    ]
)
