"""``headwater functions ask``: a second opinion on functions that cannot be read, as a proposal for a steward.

A command of the organisation's choice gets a function's source with a question, and answers by a schema what it takes
the function to do. Nothing becomes lineage by that: what is printed is a declaration for somebody to check and to put
into the file of declared functions, with what the code and trial runs say against it; or it is kept for stewards.
"""

from __future__ import annotations

import ast
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from headwater_cli.agent.function_proposals import job_named
from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.terminal.errors import FAILED, CommandError
from headwater_cli.terminal.escaping import visible_lines
from headwater_functions.shipped.files import texts_beside, texts_in
from headwater_functions.source import Checked, check
from headwater_plan.declarations import Declaration, DeclarationError, declaration
from headwater_plan.readings import meet

MOST_SECONDS: Final = 120
"""That the command may take for an answer, and a trial for all of its runs."""
SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["reads"],
    "properties": {
        "reads": {"type": "array", "items": {"type": "string"}},
        "writes": {"type": "string"},
    },
}
QUESTION: Final = (
    "What is the result of this Python function made of? Answer JSON by the schema and nothing else. Each line of "
    "`reads` is `ARGUMENT.PATH -> RESULT.PATH` for a value that is computed from another, `=>` for one that is the "
    "same, and `ARGUMENT.PATH -> ?` for what only decides about the result; `[]` is an element of a list. A line "
    "without an arrow means the result as a whole. List every path that may be in the result or decide about it."
)
_FILE = click.Path(dir_okay=False, exists=True, path_type=Path)
_Path = tuple[str, ...]
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


class _Asked(NamedTuple):
    """The file that is asked about, and arguments for its functions."""

    module: Path
    source: str
    examples: Mapping[str, Any]


@dataclass
class Proposal:
    """What the command says of a function; ``refused`` says why nobody should declare it so."""

    name: str
    line: int
    parameters: tuple[str, ...]
    reads: list[str] = field(default_factory=list)
    writes: str | None = None
    digest: str = ""
    undigested: str = ""
    refused: str = ""
    remarks: list[str] = field(default_factory=list)

    def entry(self) -> dict[str, Any]:
        """The entry of a file of declarations."""
        whole = {} if self.writes is None else {"writes": self.writes}
        return {"name": self.name, "parameters": list(self.parameters), "reads": self.reads, **whole}


@click.command("ask")
@click.option(
    "--command", required=True, help="The program that answers, with its arguments; no shell is used."
)
@click.option("--function", "names", multiple=True, help="A function to ask about, also if it can be read.")
@click.option(
    "--examples",
    type=_FILE,
    help="Run functions on these arguments: JSON, {function: [[argument, …], …]}.",
)
@click.option(
    "--propose-for", "job", metavar="JOB", help="Keep the proposals for a job: its namespace and name."
)
@click.option(
    "--reason", default="a second opinion", show_default=True, help="With --propose-for: the reason."
)
@click.option(
    "--py-files",
    "py_files",
    type=_FILE,
    multiple=True,
    help="Files that the job ships; modules beside MODULE count anyway.",
)
@store_or_url
@click.argument("module", type=_FILE)
@click.pass_context
def ask(
    context: click.Context,
    module: Path,
    command: str,
    names: tuple[str, ...],
    examples: Path | None,
    job: str | None,
    reason: str,
    py_files: tuple[Path, ...],
    store: str,
    url: str | None,
) -> None:
    """Ask a program what functions of a file do that cannot be read.

    The program gets JSON with the question, the function's source and the schema of the answer on its standard input,
    and answers on its standard output. Its answer is printed as a declaration for a person to check, and never
    used by itself. With --examples the functions are run in a process of their own, each with its arguments changed:
    an answer that misses a change of the result is refused. The exit code is 1 if one is.

    With --propose-for the others are kept in the store or on the server, for stewards to accept or refuse; functions of
    the job must have the names that they have in the file. What is accepted counts as long as nothing changes that the
    program gives the function; one that uses what only executing the file would tell is not kept.
    """
    kept_for = job_named(job) if job else None
    asked = _Asked(module, module.read_text("utf-8"), _examples(examples))
    try:
        texts = {**texts_beside(module), **texts_in([str(path) for path in py_files])}
        definitions, found = _definitions(asked.source), check(asked.source, str(module), texts)
    except SyntaxError as e:
        raise CommandError("SYNTAX", f"{module}: line {e.lineno}: {e.msg}") from e
    chosen = [c for c in found if (c.name in names if names else c.analysis is None or c.analysis.unread)]
    known = [(c, definitions[c.name, c.line]) for c in chosen if (c.name, c.line) in definitions]
    proposals = [_proposal(c, node, command, asked) for c, node in known]
    for line in _printed(proposals, module):
        click.echo(visible_lines(line))
    if kept_for is not None:
        for each in (p for p in proposals if not p.refused and p.undigested):
            click.echo(visible_lines(f"# {each.name} is not kept: {each.undigested}"))
        sent = [_input(p, module) for p in proposals if not (p.refused or p.undigested)]
        asked_of = {"job": kept_for, "proposals": sent, "reason": reason}
        made = create_client(context, store, url).query("propose_functions", asked_of)["proposeFunctions"]
        click.echo(f"# kept for a steward: {len(made)} of {len(sent)}")
    if any(p.refused for p in proposals):
        raise SystemExit(FAILED)


def _input(proposal: Proposal, module: Path) -> dict[str, Any]:
    """The proposal as it is kept."""
    return {
        "function": proposal.name,
        "parameters": list(proposal.parameters),
        "reads": proposal.reads,
        "writes": proposal.writes,
        "digest": proposal.digest,
        "file": module.name,
        "line": proposal.line,
        "checks": proposal.remarks,
    }


def _examples(file: Path | None) -> Mapping[str, Any]:
    if file is None:
        return {}
    try:
        found = json.loads(file.read_text("utf-8"))
    except ValueError as e:
        raise CommandError("EXAMPLES", f"{file} is not JSON") from e
    rows = [row for each in found.values() for row in each] if isinstance(found, dict) else [None]
    if not all(isinstance(row, list) for row in rows):
        raise CommandError("EXAMPLES", f"{file}: it must be {{function: [[argument, …], …]}}")
    return dict(found)


def _proposal(checked: Checked, node: _Definition, command: str, asked: _Asked) -> Proposal:
    parameters = tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args))
    proposal = Proposal(
        checked.name, checked.line, parameters, digest=checked.digest, undigested=checked.undigested
    )
    question = {
        "question": QUESTION,
        "function": checked.name,
        "parameters": parameters,
        "source": ast.get_source_segment(asked.source, node),
        "schema": SCHEMA,
    }
    try:
        declared = _declared(proposal, _answer(command, json.dumps(question)))
    except (DeclarationError, TypeError, ValueError) as e:
        proposal.refused = f"the answer is none by the schema: {e}"
        return proposal
    proposal.remarks += _against_code(checked, declared, parameters)
    _against_runs(proposal, declared, asked)
    return proposal


def _definitions(source: str) -> dict[tuple[str, int], _Definition]:
    """The functions of a file by their names and the lines where their code begins: that of the first decorator."""
    return {
        (n.name, min([n.lineno, *(d.lineno for d in n.decorator_list)])): n
        for n in ast.walk(ast.parse(source))
        if isinstance(n, _Definition)
    }


def _answer(command: str, question: str) -> str:
    try:
        done = subprocess.run(
            shlex.split(command),
            input=question,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as e:
        raise CommandError("NO_ANSWER", f"the command gave no answer ({type(e).__name__})") from e
    return done.stdout


def _declared(proposal: Proposal, answer: str) -> Declaration:
    """The answer as a declaration. It can say of no form that it hides what it is made of."""
    found = json.loads(answer)
    if not isinstance(found, dict) or not {"reads"} <= set(found) <= set(SCHEMA["properties"]):
        raise ValueError("an object with `reads`, and `writes` if need be")
    if not isinstance(found["reads"], list) or not isinstance(found.get("writes", ""), str):
        raise TypeError("`reads` is a list of lines, `writes` a path")
    made = declaration(proposal.name, found["reads"], found.get("writes"), parameters=proposal.parameters)
    if any(flow.argument >= len(proposal.parameters) for flow in made.flows):
        raise ValueError("it names an argument that the function does not have")
    proposal.reads, proposal.writes = found["reads"], found.get("writes")
    return made


def _against_code(checked: Checked, declared: Declaration, parameters: tuple[str, ...]) -> Iterator[str]:
    """What the analysis says of the function, and what it lists that the answer does not."""
    if checked.unreadable is not None:
        yield f"code: not read: {checked.unreadable.reason}"
    if checked.analysis is None:
        return
    for reason in sorted(checked.analysis.unread):
        yield f"code: not all is read: {reason}"
    missing = set()
    for edge in checked.analysis.result.all_edges():
        argument, *steps = edge.path
        named = tuple(str(key) for kind, key in steps if kind in ("attr", "item") and isinstance(key, str))
        decides = bool(edge.how.decides)
        if not any(
            f.argument == argument and meet(f.source, named) and (decides or f.target is not None)
            for f in declared.flows
        ):
            missing.add(
                ".".join((parameters[argument] if argument < len(parameters) else str(argument), *named))
            )
    if missing:
        yield f"code: it may be made of more: {', '.join(sorted(missing))}"
    elif not checked.analysis.unread:
        yield "code: all that it is made of is listed"


def _against_runs(proposal: Proposal, declared: Declaration, asked: _Asked) -> None:
    """Holds the answer against what changes when arguments do."""
    examples = asked.examples.get(proposal.name)
    if not examples:
        proposal.remarks.append("runs: none; give --examples to try it")
        return
    tried = json.dumps({"module": str(asked.module), "function": proposal.name, "examples": examples})
    command = [sys.executable, "-m", "headwater_cli.agent.trial"]
    try:
        done = subprocess.run(
            command, input=tried, capture_output=True, text=True, timeout=MOST_SECONDS, check=True
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as e:
        proposal.refused = f"it cannot be tried ({type(e).__name__})"
        return
    if "error" in found:
        proposal.refused = f"it cannot be tried: {found['error']}"
        return
    missed = sorted(
        {
            ".".join((proposal.parameters[argument], *source))
            for argument, source, target, shown in found["changes"]
            if not _lists(declared, argument, tuple(source), tuple(target), shown=shown)
        }
    )
    if missed:
        proposal.refused = f"the result changes with {', '.join(missed)}, and no line says so"
    proposal.remarks.append(
        f"runs: {found['runs']}, and {len(found['changes'])} pairs of paths changed together"
    )


def _lists(declared: Declaration, argument: int, source: _Path, target: _Path, *, shown: bool) -> bool:
    """Whether a line says that the result changes there; what stands in it does more than decide about it."""
    return any(
        f.argument == argument
        and meet(f.source, source)
        and (not shown if f.target is None else meet(f.target, target))
        for f in declared.flows
    )


def _printed(proposals: list[Proposal], module: Path) -> Iterator[str]:
    import yaml  # the help of all commands would wait for it

    if not proposals:
        yield "# every function can be read"
        return
    yield "# Proposals: declare what somebody has checked."
    yield "udfs:"
    for each in proposals:
        yield f"# {each.name}  {module.name}:{each.line}"
        yield from (f"#   {remark}" for remark in each.remarks)
        if each.refused:
            yield f"#   refused: {each.refused}"
        else:
            yield from yaml.safe_dump([each.entry()], sort_keys=False, width=120).rstrip().split("\n")
