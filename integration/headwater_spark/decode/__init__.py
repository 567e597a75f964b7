"""Plan documents to plans in the closed form of ``headwater_plan``.

The document's nodes are decoded one after the other, each from what the nodes below it became: a class of the
tables by its own small function, any other by the default of its sort, so that no plan is ever refused. What could
not be understood is in ``DecodedPlan.problems``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from headwater_plan.declarations import Declared, undeclared
from headwater_plan.nodes import DecodedPlan, Problem, Write
from headwater_spark.constants import BY_DEFAULT, Constants
from headwater_spark.decode.catalogue import Decoders, decoders_of
from headwater_spark.decode.commands import targets
from headwater_spark.decode.commands.actions import COMMAND, action, written
from headwater_spark.decode.commands.catalogue import COMMANDS, effect_of, inserts_into_new_table, keeps_rows
from headwater_spark.decode.commands.command import Effect
from headwater_spark.decode.commands.extents import with_extent
from headwater_spark.decode.commands.several import several_writes
from headwater_spark.decode.commands.states import States, content_of
from headwater_spark.decode.commands.targets import writes_to_memory
from headwater_spark.decode.commands.writes import is_command, unknown_command, written_by_step
from headwater_spark.decode.context import Context, Decoded, Variables, is_relation
from headwater_spark.decode.document import MalformedPlanError, Node, PlanDocument, replacement_of
from headwater_spark.decode.expressions import VARIABLE, any_expression
from headwater_spark.decode.kept_rows import KeptRows, PlanExecution
from headwater_spark.decode.relations import any_relation
from headwater_spark.decode.replaced import replaced
from headwater_spark.decode.sources import source_of
from headwater_spark.decode.values import Source

__all__ = [
    "VARIABLE",
    "Effect",
    "KeptRows",
    "MalformedPlanError",
    "PlanExecution",
    "Variables",
    "content_of",
    "decode",
    "effect_of",
    "inserts_into_new_table",
    "keeps_rows",
    "several_writes",
    "source_of_leaf",
    "target_of",
]


def decode(
    plan: Mapping[str, Any],
    spark_version: str = "",
    *,
    constants: Constants = BY_DEFAULT,
    declared: Declared = undeclared,
    kept: KeptRows | None = None,
    by: PlanExecution | None = None,
    variables: Variables | None = None,
) -> DecodedPlan:
    """The plan in closed form, its constants as they may leave, user functions as they are declared.

    ``kept`` has the plans behind rows that were kept (a checkpoint, a micro-batch), ``by`` is the execution that
    computes the plan, ``variables`` what the session's variables were set to.
    Raises ``MalformedPlanError`` when the document breaks its own format.
    """
    document = PlanDocument(plan)
    context = Context(
        document,
        constants,
        declared,
        kept=kept or KeptRows(),
        query=by.query if by else None,
        reads_at=_reads_at(document, by),
        variables=variables or {},
        is_step=by is not None and by.step_of is not None,
    )
    if document.truncated:
        context.problem("TRUNCATED", "the plan was larger than the agent encodes")
    if document.is_action:
        return _decoded(action(plan, context), context)
    decoders = decoders_of(spark_version)
    states = States.of(by)
    for node in document.order():
        if states is not None:
            states.add(node, context)
        context.results[node.index] = _decode_node(node, context, decoders)
    found = _decoded(context.results[document.root], context)
    if states is not None and found.relation is not None:
        found = replace(
            found, states=states.writes(found.relation, found.write.target if found.write else {})
        )
    return found if by is None or by.step_of is None else written_by_step(found, *by.step_of)


def _reads_at(document: PlanDocument, by: PlanExecution | None) -> Callable[[Source], int | None]:
    """When a source is read: by a streaming query all the time, unless its rows are kept in memory."""
    if by is None:
        return lambda _: None
    return replace(by, query=None).reads_at if writes_to_memory(document) else by.reads_at


def target_of(plan: Mapping[str, Any]) -> tuple[str, Source] | None:
    """The root's command and what it writes, in a document that cannot be decoded; None where it writes nothing."""
    if (target := written(plan)) is not None:
        return COMMAND, target
    document = PlanDocument.of_broken(plan)
    root = document.nodes[document.root]
    command = COMMANDS.get(root.name)
    found = command.target(root, document) if command is not None and command.target is not None else None
    if command is None or not found:
        return None
    return root.name, with_extent(targets.with_condition(found, root), command.extent, root, document)


def source_of_leaf(plan: Mapping[str, Any]) -> Source:
    """What is read by the leaf that is the document's root. Raises ``MalformedPlanError``."""
    document = PlanDocument(plan)
    return source_of(document.nodes[document.root], document)


def _decode_node(node: Node, context: Context, decoders: Decoders) -> Decoded:
    if replacement_of(node) is not None:
        return replaced(node, context)
    decoder = decoders.get(node.name)
    if decoder is not None:
        return decoder(node, context)
    if is_command(node):
        return unknown_command(node, context)
    if _is_plan(node):
        return any_relation(node, context)
    return any_expression(node, context)


def _is_plan(node: Node) -> bool:
    """What the document calls no expression and is in a package of Spark's operators."""
    if node.sort == "expression":
        return False
    if "out" in node.extras or node.sort in ("plan", "command"):
        return True
    package = node.class_name.rpartition(".")[0]
    return ".plans.logical" in package or ".execution." in package or ".commands" in package


def _decoded(root: Decoded, context: Context) -> DecodedPlan:
    problems: tuple[Problem, ...] = tuple(context.problems)
    if isinstance(root, Write):
        return DecodedPlan(root.child, root, problems, observed=context.observed)
    if is_relation(root):
        return DecodedPlan(root, None, problems, context.assigned, context.observed)
    return DecodedPlan(None, None, problems)
