"""Runs a function on changed arguments, in a process of its own: ``python -m headwater_cli.agent.trial``.

On its standard input is ``{"module": FILE, "function": NAME, "examples": [[ARGUMENT, …], …]}``; on its output are the
pairs of a path of an argument and a path of the result that changed with it. Whatever the module prints goes to the
error output.
"""

from __future__ import annotations

import copy
import json
import os
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, TypeAlias

from headwater_plan.types import ELEMENT

Steps: TypeAlias = tuple[str, ...]
Leaves: TypeAlias = dict[Steps, list[str]]


class Record(dict[str, Any]):
    """A row or a struct of an example: its members by name, as items and as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as e:
            raise AttributeError(name) from e

    def asDict(self) -> dict[str, Any]:  # noqa: N802 - as PySpark's rows call it
        """The members, as of a row."""
        return dict(self)


def argument(value: Any) -> Any:
    """An argument as JSON has it, with records in place of objects."""
    if isinstance(value, Mapping):
        return Record((name, argument(item)) for name, item in value.items())
    return [argument(item) for item in value] if isinstance(value, list) else value


def changes(value: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """(the path that was changed, the value with that change)"""
    if isinstance(value, Mapping):
        for name in value:
            for below, item in changes(value[name], (*steps, name)):
                yield below, Record({**value, name: item})
    elif isinstance(value, list):
        for place, each in enumerate(value):
            for below, item in changes(each, (*steps, ELEMENT)):
                yield below, [*value[:place], item, *value[place + 1 :]]
        yield from ((steps, other) for other in (value[:-1], [*value, *value[:1]], []))
    else:
        yield from ((steps, other) for other in _others(value))


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from (
            f"Q{value}",
            f"{value}7",
            value.upper(),
            value.lower(),
            value[::-1],
            value[1:],
            value[:-1],
        )
        yield from ("", "zed", "5", value + value, value.replace("e", "i").replace("a", "o"))
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, value * 2, value + 100, 0, -value)
    if value is None:
        yield from ("given", 5)
    else:
        yield None


def leaves(value: Any, steps: Steps = ()) -> Leaves:
    """A result's leaves by the names of its members; what has none stands as a whole."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    elif callable(getattr(value, "asDict", None)):
        value = value.asDict()
    if isinstance(value, Mapping):
        found: Leaves = {}
        for name, item in value.items():
            found.update(leaves(item, (*steps, str(name))))
        return found
    if isinstance(value, list):
        below: Leaves = {(*steps, ELEMENT): [str(len(value))]}
        for item in value:
            for path, texts in leaves(item, (*steps, ELEMENT)).items():
                below.setdefault(path, []).extend(texts)
        return below
    return {steps: [repr(value)]}


def trial(function: Callable[..., Any], examples: list[list[Any]]) -> dict[str, Any]:
    """The pairs of paths that changed together, with whether the changed text stands in the result.

    ``runs`` is how often the function ended.
    """
    pairs: dict[tuple[int, Steps, Steps], bool] = {}
    runs = 0
    for example in examples:
        arguments = [argument(each) for each in example]
        before = _ended(function, arguments)
        if before is None or before != _ended(function, arguments):
            return {"error": "it fails on an example, or gives other results each time"}
        for place, given in enumerate(arguments):
            for path, changed in changes(given):
                after = _ended(function, [*arguments[:place], changed, *arguments[place + 1 :]])
                if after is None:
                    continue
                runs += 1
                for target in before.keys() | after.keys():
                    if before.get(target) != after.get(target):
                        key = place, path, target
                        pairs[key] = pairs.get(key, False) or _is_shown(changed, after.get(target, []))
    return {"runs": runs, "changes": [[*key, shown] for key, shown in sorted(pairs.items())]}


def _is_shown(changed: Any, texts: list[str]) -> bool:
    """Whether a text of some length stands there, in capitals or not."""
    return (
        isinstance(changed, str)
        and len(changed) > 3
        and any(changed.casefold() in text.casefold() for text in texts)
    )


def _ended(function: Callable[..., Any], arguments: list[Any]) -> Leaves | None:
    try:
        return leaves(function(*copy.deepcopy(arguments)))
    except Exception:  # noqa: BLE001 - a job that fails writes nothing
        return None


def main() -> None:
    """The process: one question, one answer."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asked = json.load(sys.stdin)
    names = runpy.run_path(asked["module"], run_name="headwater_trial")
    answers.write(json.dumps(trial(names[asked["function"]], asked["examples"])))
    answers.close()


if __name__ == "__main__":
    main()
