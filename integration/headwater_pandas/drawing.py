"""The steps behind a frame as a drawing, which notebooks show."""

from __future__ import annotations

from typing import Any

from headwater_pandas.answers import dataset_of
from headwater_records.graph import Dataset, ancestors


class Graph:
    """The steps behind a frame: drawn in a notebook, as Mermaid's text everywhere else."""

    def __init__(self, datasets: list[Dataset]) -> None:
        self._datasets = datasets

    def __str__(self) -> str:
        numbers = {each: number for number, each in enumerate(self._datasets)}
        lines = ["flowchart LR"]
        for each, number in numbers.items():
            shape = ("[(", ")]") if not each.made_of else ("(", ")") if each.exact else ("{{", "}}")
            lines.append(f'  s{number}{shape[0]}"{_drawn(each)}"{shape[1]}')
        for each, number in numbers.items():
            arrows = {step.dataset: step.contributes for step in each.inputs}
            arrows |= {step.dataset: True for step in each.inputs if step.contributes}
            lines += [
                f"  s{numbers[before]} {'-->' if contributes else '-.->'} s{number}"
                for before, contributes in arrows.items()
            ]
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        return f"```mermaid\n{self}\n```"


def _drawn(dataset: Dataset) -> str:
    name = "".join(each for each in dataset.step if each.isprintable() and each not in '"<>#&')
    return f"{name}<br/>{dataset.rows} × {len(dataset.columns)}"


def graph(frame: Any) -> Graph:
    """The steps behind a frame, as a drawing: sources, steps, and steps that were not understood (with six corners).

    A dotted arrow leads from what was only looked at.
    """
    return Graph(ancestors([dataset_of(frame)]))
