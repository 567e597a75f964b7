"""``headwater functions``: what Python functions do to their arguments, before they run and in jobs that ran."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from headwater_cli.agent import function_proposals
from headwater_cli.agent.second_opinion import ask
from headwater_cli.agent.user_functions import list_
from headwater_cli.terminal.errors import FAILED, CommandError
from headwater_cli.terminal.escaping import visible_lines
from headwater_cli.terminal.groups import Group
from headwater_functions.analysis.values import Edge
from headwater_functions.result import ANY, KEYS, Analysis, Part
from headwater_functions.shipped.files import texts_beside
from headwater_functions.source import Checked, check

_FILE = click.Path(dir_okay=False, exists=True, path_type=Path)


@click.group(cls=Group)
def functions() -> None:
    """Look into Python functions without running them."""


functions.add_command(ask)
functions.add_command(list_)
for _command in (
    function_proposals.proposals,
    function_proposals.accept,
    function_proposals.refuse,
    function_proposals.reopen,
    function_proposals.declarations,
):
    functions.add_command(_command)


@functions.command("check")
@click.option("--strict", is_flag=True, help="Fail if a function cannot be read as a whole.")
@click.argument("module", type=_FILE)
def check_(module: Path, strict: bool) -> None:
    """Print what each result of a file's functions is made of.

    MODULE is compiled and never imported, and so are the modules beside it that it uses. A line has a part of the
    result, a path of an argument, and what can be read back of it, or "decides" if it only decides about that part. A
    function that cannot be read is opaque: the line says why, and what would change that. The exit code is 1 if
    --strict is given and one is.
    """
    try:
        found = check(module.read_text("utf-8"), str(module), texts_beside(module))
    except SyntaxError as e:
        raise CommandError("SYNTAX", f"{module}: line {e.lineno}: {e.msg}") from e
    for each in found:
        for line in _lines(each):
            click.echo(visible_lines(line))
    if strict and any(c.analysis is None or c.analysis.unread for c in found):
        raise SystemExit(FAILED)


def _lines(checked: Checked) -> Iterator[str]:
    yield f"{checked.name}  line {checked.line}"
    if checked.unreadable is not None:
        error = checked.unreadable
        where = f" (line {error.line})" if error.line else ""
        yield f"  opaque: {error.reason}{where}" + (f"; {error.hint}" if error.hint else "")
    if checked.analysis is None:
        return
    lines = sorted(set(_rows(checked.analysis, checked.analysis.result, "")))
    yield from lines or ["  result  no argument"]
    for reason in sorted(checked.analysis.unread):
        yield f"  not all: {reason}"


def _rows(analysis: Analysis, part: Part, target: str) -> Iterator[str]:
    for edge in part.edges:
        what = "decides" if edge.how.decides else edge.how.retains.value
        yield f"  {target.lstrip('.') or 'result'}  {_path(analysis, edge)}  {what}"
    for name, member in part.members.items():
        if not (isinstance(name, int) and "record" in part.kinds):
            yield from _rows(analysis, member, target + _step_of_result(name))


def _step_of_result(name: Any) -> str:
    return {ANY: "[]", KEYS: "{key}"}.get(name, f"[{name}]" if isinstance(name, int) else f".{name}")


def _path(analysis: Analysis, edge: Edge) -> str:
    argument, *steps = edge.path
    names = analysis.parameters
    text = names[argument] if argument < len(names) else f"argument {argument}"
    return text + "".join(_step(kind, key) for kind, key in steps)


def _step(kind: str, key: Any) -> str:
    if isinstance(key, str):
        return f".{key}"
    if kind == "item":
        return f"[{key}]"
    return {"each": "[]", "keys": "{key}", "values": "{}", "any": "[?]"}.get(kind, "")
