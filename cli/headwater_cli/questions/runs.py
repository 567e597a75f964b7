"""``headwater runs`` and ``headwater job``: jobs, and the results of their runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client, store_or_url
from headwater_cli.client.pagination import fetch_nodes, limit_option, report_more
from headwater_cli.client.references import dataset_ref, did_you_mean, job_ref
from headwater_cli.questions.run_updates import follow_runs
from headwater_cli.terminal.errors import EXIT_CODES, CommandError
from headwater_cli.terminal.escaping import visible_json
from headwater_cli.terminal.output import job_title, print_json, print_row, print_table
from headwater_cli.terminal.user_functions import described

FOLLOWED = ("time", "state", "job", "run", "error")
HEADINGS = ("started", "state", "took", "job", "run", "read", "wrote", "error")
NAMED = 3
WENT_WRONG = ("FAIL", "ABORT")
UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))
_namespace = click.option(
    "--namespace", metavar="NS", help="The job's or dataset's namespace; the name is then its full name."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command(epilog=EXIT_CODES)
@click.argument("job", required=False)
@click.option("--dataset", metavar="DATASET", help="List runs that used this dataset.")
@click.option(
    "--use", type=click.Choice(["input", "output"]), help="With --dataset: only runs that read or wrote it."
)
@click.option("--parent", metavar="RUN", help="List runs that this run started.")
@click.option("--run", metavar="RUN", help="With JOB: only this run.")
@click.option(
    "--follow",
    is_flag=True,
    help="Print runs as a server (--url) receives their events; all jobs without JOB.",
)
@_namespace
@limit_option
@store_or_url
@_json
@click.pass_context
def runs(
    context: click.Context,
    job: str | None,
    dataset: str | None,
    use: str | None,
    parent: str | None,
    run: str | None,
    follow: bool,
    namespace: str | None,
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """List runs of a job, a dataset or a parent run.

    Prints, newest first, the state, the duration, the inputs and outputs with their sizes, and the error of each run.

    \b
    headwater runs nightly_load
    headwater runs --dataset customers --use output
    headwater runs --parent 01926c4e-8e5f-7b2a-9d3c-1f2e3d4c5b6a
    headwater runs --follow --url http://127.0.0.1:8055
    """
    if follow:
        if dataset or parent or run or not url:
            raise click.UsageError("--follow goes with --url, and not with --dataset, --parent or --run")
        _print_updates(
            url, {} if job is None else _pattern(create_client(context, store, url), job, namespace), as_json
        )
        return
    if [job, dataset, parent].count(None) != 2:
        raise click.UsageError("expected either a JOB, a --dataset or a --parent")
    if use and not dataset:
        raise click.UsageError("--use goes with --dataset")
    if run and not job:
        raise click.UsageError("--run goes with a JOB")
    client = create_client(context, store, url)
    if job is not None and run is not None:
        found, more = [_get_run(client, job_ref(client, job, namespace), run)], False
    elif job is not None:
        found, more = fetch_nodes(client, "job_runs", job_ref(client, job, namespace), limit)
    elif parent is not None:
        found, more = fetch_nodes(client, "child_runs", {"runId": parent}, limit)
    else:
        asked = {**dataset_ref(client, str(dataset), namespace), "use": use.upper() if use else None}
        found, more = fetch_nodes(client, "dataset_runs", asked, limit)
    if as_json:
        print_json(found)
    else:
        print_table(HEADINGS, [_row(run) for run in found])
    report_more(more, limit)


@click.command(epilog=EXIT_CODES)
@click.argument("job")
@_namespace
@store_or_url
@_json
@click.pass_context
def job(
    context: click.Context, job: str, namespace: str | None, store: str, url: str | None, as_json: bool
) -> None:
    """Describe a JOB.

    JOB is its name or its title ("etl: write people"). Prints its owners, inputs, outputs, newest run and gaps in its
    lineage. Inputs and outputs include those of runs that it started, such as the runs of an application.
    """
    client = create_client(context, store, url)
    asked = job_ref(client, job, namespace)
    found = client.query("job", asked)["job"]
    if found is None:
        message = f"unknown job {asked['name']!r} in namespace {asked['namespace']!r}"
        raise CommandError("UNKNOWN_JOB", message, did_you_mean(client, asked["name"], "JOB"))
    if as_json:
        print_json(found)
    else:
        print_table(("what", "is"), list(_job_rows(found)))


def _get_run(client: GraphQLClient, job: Mapping[str, Any], run: str) -> dict[str, Any]:
    found: dict[str, Any] | None = client.query("run", {**job, "runId": run})["run"]
    if found is None:
        runs, _ = fetch_nodes(client, "job_runs", job, 3)
        newest = ", ".join(each["runId"] for each in runs)
        raise CommandError(
            "UNKNOWN_RUN", f"unknown run {run!r} of job {job['name']!r}", f"the newest runs are {newest}"
        )
    return found


def _pattern(client: GraphQLClient, job: str, namespace: str | None) -> dict[str, str]:
    """Return the filter for a job name; a name with ``*`` is a pattern."""
    if "*" in job:
        return {"job": job, **({"namespace": namespace} if namespace else {})}
    found = job_ref(client, job, namespace)
    return {"namespace": found["namespace"], "job": found["name"]}


def _print_updates(url: str, asked: Mapping[str, str], as_json: bool) -> None:
    """Print a line for each updated run, until interrupted."""
    if not as_json:
        print_row(FOLLOWED)
    try:
        for run in follow_runs(url, asked):
            if run["missed"]:
                click.echo(f"{run['missed']} runs skipped", err=True)
            if as_json:
                click.echo(visible_json(json.dumps(run, ensure_ascii=False)))
            else:
                print_row(_update_row(run))
    except KeyboardInterrupt:
        return


def _update_row(run: Mapping[str, Any]) -> tuple[str, ...]:
    when = run["endedAt"] or run["startedAt"] or ""
    return (
        when,
        run["state"] or "",
        job_title(run["job"]),
        run["runId"],
        (run["error"] or "").partition("\n")[0],
    )


def _job_rows(job: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "namespace", job["namespace"]
    yield "name", job["name"]
    if job["title"] != job["name"]:
        yield "title", job["title"]
    yield from (("owner", owner["name"]) for owner in job["owners"])
    yield from (("description", text) for text in [job["description"]] if text)
    yield from (("tag", "=".join(filter(None, (each["key"], each["value"])))) for each in job["tags"])
    yield from (("reads", each["name"]) for each in job["inputs"])
    yield from (("writes", each["name"]) for each in job["outputs"])
    newest = job["lastRun"]
    if newest:
        parts = (newest["startedAt"], newest["state"], duration(newest["durationSeconds"]))
        yield "last run", " ".join(filter(None, parts))
        yield from (("error", text) for text in [newest["error"]] if text)
        yield from (("below it", _below(below)) for below in [newest["below"]] if below)
    yield from (("incomplete", _gap(each)) for each in job["incomplete"])
    yield from (("function", "  ".join(filter(None, described(each)))) for each in job["functions"])


def _below(below: Mapping[str, Any]) -> str:
    """Return ``12 runs: 11 COMPLETE, 1 FAIL; 42.1 s in total``."""
    states = ", ".join(f"{each['runs']} {each['state'] or 'unknown'}" for each in below["states"])
    more = " and more" if below["cut"] else ""
    return f"{below['runs']} runs{more}: {states}; {duration(below['seconds'])} in total"


def _gap(gap: Mapping[str, Any]) -> str:
    what = f"{gap['reason']} at {gap['name']} {'.'.join(gap['path'])}".rstrip()
    return f"{what} {gap['detail']}".rstrip()


def _row(run: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        run["startedAt"] or "",
        run["state"] or "",
        duration(run["durationSeconds"]),
        run["job"]["name"],
        run["runId"],
        _used([*run["inputs"], *_used_below(run, "inputs")]),
        _used([*run["outputs"], *_used_below(run, "outputs")]),
        "; ".join(_problems(run)),
    )


def _problems(run: Mapping[str, Any]) -> Iterator[str]:
    """Yield the first line of the error, and a summary of failed tests and child runs."""
    yield from (text.partition("\n")[0] for text in [run["error"]] if text)
    failed = [each["name"] for each in run["tests"] if each["status"] == "fail"]
    if failed:
        yield f"{len(failed)} of {len(run['tests'])} tests FAILED: {', '.join(failed[:NAMED])}"
    states = run["below"]["states"] if run["below"] else ()
    yield from (
        f"{each['runs']} runs below it: {each['state']}" for each in states if each["state"] in WENT_WRONG
    )


def _used_below(run: Mapping[str, Any], use: str) -> list[Mapping[str, Any]]:
    """Return the datasets that child runs used and the run itself did not."""
    own = {(each["namespace"], each["name"]) for each in run[use]}
    below = run["below"][use] if run["below"] else ()
    return [each for each in below if (each["namespace"], each["name"]) not in own]


def _used(datasets: list[Mapping[str, Any]]) -> str:
    """Return ``orders (12 rows, 340 bytes, 1 files, 1 of 2 assertions FAILED), …``."""
    described = ((each["name"], ", ".join(_amounts(each))) for each in datasets)
    return ", ".join(f"{name} ({amounts})" if amounts else name for name, amounts in described)


def _amounts(used: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{used[what]} {what}" for what in ("rows", "bytes", "files") if used[what] is not None)
    assertions = used.get("assertions", ())
    failed = sum(not each["success"] for each in assertions)
    if failed:
        yield f"{failed} of {len(assertions)} assertions FAILED"


def duration(seconds: float | None) -> str:
    """Return the duration as text: ``42.1 s``, ``3.5 min``, ``2.0 h``."""
    if seconds is None:
        return ""
    for size, unit in UNITS:
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
