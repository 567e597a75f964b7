"""Output of lineage graphs: a tree in a terminal, one line per node in a pipe."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.output import (
    console,
    counted,
    in_terminal,
    job_title,
    print_table,
    short_names,
)

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

Graph = Mapping[str, Any]
PLACES = 5
BACKWARD, FORWARD = "backward", "forward"


def tree(graph: Graph, direction: str) -> Tree:
    """Return the graph as a tree from the start; the branches of a node are only drawn at its first occurrence.

    A query of a whole dataset has a start node for each path; these are drawn below the dataset.
    """
    from rich.tree import Tree

    nodes, edges = graph["nodes"], _outward(graph, direction)
    names = short_names(node["name"] for node in nodes)
    first, *others = sorted(
        (index for index, node in enumerate(nodes) if node["distance"] == 0), key=lambda at: nodes[at]["path"]
    )
    root = Tree(_title(names, nodes[first]), guide_style="dim")
    waiting = [(root, first), *((root.add(_title(names, nodes[each])), each) for each in others)]
    drawn = {first, *others}
    while waiting:
        branch, index = waiting.pop(0)
        for far, edge in edges.get(index, ()):
            below = branch.add(_title(names, nodes[far], edge))
            if far not in drawn:
                drawn.add(far)
                waiting.append((below, far))
    return root


def print_graphs(graphs: Mapping[str, Graph]) -> None:
    """Print the graphs of several directions; lines in a pipe then have a column for the direction."""
    if in_terminal():
        out = console()
        for direction, graph in graphs.items():
            out.print(tree(graph, direction))
    else:
        rows = {direction: map(_row, graph["nodes"]) for direction, graph in graphs.items()}
        print_by_direction(("distance", "reach", "namespace", "name", "path"), rows)
    for graph in graphs.values():
        print_gaps(graph)
        print_pruned(graph)


def print_pruned(graph: Graph) -> None:
    """Print the edges that active lineage leaves out, with why, and those about which it could not decide."""
    for each in graph.get("pruned", ()):
        why = " ".join(each["because"]) or "Only ways lead there that no data can take."
        click.echo(f"left out: {_edge_text(each)}. {why}", err=True)
    for each in graph.get("undecided", ()):
        click.echo(f"not decided whether data can take it: {_edge_text(each)}", err=True)
    for each in graph.get("fetches", ()):
        rows = each["query"] or f"rows of {each['node']['name']} that are not known"
        click.echo(f"{each['node']['label']} in {each['node']['name']} comes from: {rows}", err=True)
    for each in graph.get("effects", ()):
        click.echo(_effect_text(each), err=True)
    if graph.get("stopped"):
        _print_stop(graph["stopped"])


def _print_stop(stop: Mapping[str, Any]) -> None:
    """Print where active lineage stopped, and the conditions to choose from."""
    places = [f"{each['label']} in {each['name']}" for each in stop["at"][:PLACES]]
    more = len(stop["at"]) - len(places)
    listed = ", ".join([*places, *([f"{more} more"] if more else [])])
    click.echo(
        f"stopped after {counted(stop['ways'], 'way')}, at {listed}: nothing is left out beyond", err=True
    )
    if not stop["choices"]:
        click.echo("no condition is known that leaves fewer ways: ask with --where, or nearer", err=True)
    for each in stop["choices"]:
        whole = each["keeps"] + each["ends"]
        asked = shlex.join(["--where", each["sql"]])
        click.echo(
            f"go on with {asked}: keeps {each['keeps']} of {whole} ways, ends {each['ends']}", err=True
        )


def _effect_text(effect: Mapping[str, Any]) -> str:
    near, everywhere = effect["near"], effect["all"]
    if everywhere is None:
        return f"{effect['sql']}: it is not known what it excludes, as that has too many ways"
    if not everywhere:
        return f"{effect['sql']} has no effect: it excludes nothing that is not excluded without it"
    if not near:
        return (
            f"{effect['sql']} excludes {counted(everywhere, 'edge')}, and has no effect up to the next fork"
        )
    return f"{effect['sql']} excludes {counted(everywhere, 'edge')}, {near} of them up to the next fork"


def _edge_text(edge: Mapping[str, Any]) -> str:
    source, target = edge["source"], edge["target"]
    places = f"{source['label']} in {source['name']} to {target['label']} in {target['name']}"
    return f"{places}, by {job_title(edge['job'])}"


def print_by_direction(headings: Sequence[str], rows: Mapping[str, Iterable[Sequence[str]]]) -> None:
    """Print one table, with the direction in the first column if there are several."""
    if len(rows) == 1:
        ((_, only),) = rows.items()
        print_table(headings, list(only))
    else:
        print_table(
            ("direction", *headings), [(direction, *row) for direction, part in rows.items() for row in part]
        )


def describe_transformations(transformations: Sequence[Mapping[str, Any]]) -> str:
    """Return a summary of an edge's transformations: ``IDENTITY (EXTRACT, NEST)``."""
    return ", ".join(dict.fromkeys(_kind(each) for each in transformations))


def _outward(graph: Graph, direction: str) -> dict[int, list[tuple[int, Mapping[str, Any]]]]:
    near, far = ("target", "source") if direction == BACKWARD else ("source", "target")
    found: dict[int, list[tuple[int, Mapping[str, Any]]]] = {}
    for edge in _between_levels(graph, near, far):
        found.setdefault(edge[near], []).append((edge[far], edge))
    return found


def _between_levels(graph: Graph, near: str, far: str) -> Iterator[Mapping[str, Any]]:
    """Yield only edges that lead away from the start, so that drawing a cycle ends."""
    nodes = graph["nodes"]
    for edge in graph["edges"]:
        if nodes[edge[near]]["distance"] < nodes[edge[far]]["distance"]:
            yield edge


def _title(names: Mapping[str, str], node: Graph, edge: Graph | None = None) -> Text:
    from rich.text import Text

    text = Text()
    if node["path"]:
        text.append(node["label"], style="bold green" if node["reach"] == "DIRECT" else "bold yellow")
        text.append("  in ", style="dim")
    text.append(names[node["name"]], style="cyan")
    if edge is not None:
        text.append(
            f"  {describe_transformations(edge['transformations'])}  by {job_title(edge['job'])}",
            style="dim",
        )
    return text


def _kind(transformation: Mapping[str, Any]) -> str:
    words = ", ".join(transformation["manipulation"]) or transformation["access"] or ""
    detail = f" ({words})" if words and words != transformation["subtype"] else ""
    masked = " masked" if transformation["masking"] else ""
    return f"{transformation['subtype']}{masked}{detail}"


def _row(node: Graph) -> tuple[str, ...]:
    path = node["label"] if node["path"] else ""
    return str(node["distance"]), node["reach"], node["namespace"], node["name"], path
