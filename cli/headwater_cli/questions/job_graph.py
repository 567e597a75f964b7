"""Output of job graphs: a tree in a terminal, one line per job in a pipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater_cli.questions.gaps import print_gaps
from headwater_cli.questions.graph import BACKWARD, Graph, print_by_direction
from headwater_cli.terminal.output import console, in_terminal, job_title, short_names

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

TITLES = {"backward": "made by", "forward": "read by"}


def print_jobs(graphs: Mapping[str, Graph]) -> None:
    """Print a tree for each direction in a terminal, else tab-separated jobs; then the gaps."""
    if in_terminal():
        out = console()
        for direction, graph in graphs.items():
            out.print(job_tree(graph, direction))
    else:
        rows = {direction: map(_row, graph["jobs"]) for direction, graph in graphs.items()}
        print_by_direction(("distance", "reach", "namespace", "job"), rows)
    for graph in graphs.values():
        print_gaps(graph)


def job_tree(graph: Graph, direction: str) -> Tree:
    """Return the jobs as a tree from the start; the branches of a job are only drawn at its first occurrence."""
    from rich.tree import Tree

    jobs, farther = graph["jobs"], _farther(graph, direction)
    names = short_names(ref["name"] for edge in graph["edges"] for ref in edge["through"])
    root = Tree(TITLES[direction], guide_style="dim")
    drawn: set[int] = set()
    waiting = [(root, at, None) for at, job in enumerate(jobs) if job["distance"] == 1]
    while waiting:
        above, at, edge = waiting.pop(0)
        branch = above.add(_title(jobs[at], edge, names))
        if at not in drawn:
            drawn.add(at)
            waiting += [(branch, other, through) for other, through in farther.get(at, ())]
    return root


def _farther(graph: Graph, direction: str) -> dict[int, list[tuple[int, Any]]]:
    near, far = ("target", "source") if direction == BACKWARD else ("source", "target")
    found: dict[int, list[tuple[int, Any]]] = {}
    for edge in graph["edges"]:
        if graph["jobs"][edge[near]]["distance"] < graph["jobs"][edge[far]]["distance"]:
            found.setdefault(edge[near], []).append((edge[far], edge))
    return found


def _title(job: Mapping[str, Any], edge: Mapping[str, Any] | None, names: Mapping[str, str]) -> Text:
    from rich.text import Text

    text = Text(job_title(job), style="bold green" if job["reach"] == "DIRECT" else "bold yellow")
    if edge is not None:
        through = ", ".join(names[ref["name"]] for ref in edge["through"])
        text.append(f"  through {through}", style="not bold dim")
    return text


def _row(job: Mapping[str, Any]) -> tuple[str, ...]:
    return str(job["distance"]), job["reach"], job["namespace"], job["name"]
