"""``headwater runs`` and ``headwater job``: jobs, and how their runs went."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.asking.ask import Place, place, store_or_url
from headwater_cli.asking.node import dataset_ref, did_you_mean, job_ref
from headwater_cli.asking.paged import limit_option, listed, tell_of_more
from headwater_cli.questions.follow import followed
from headwater_cli.terminal.errors import EXIT_CODES, Failure
from headwater_cli.terminal.screen import print_json, print_row, print_table
from headwater_cli.terminal.visible import visible_json

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
@click.option("--dataset", metavar="DATASET", help="The runs that used this dataset, instead of a job's.")
@click.option(
    "--use", type=click.Choice(["input", "output"]), help="Of the dataset: those that read or wrote it."
)
@click.option("--parent", metavar="RUN", help="The runs that this run started, instead of a job's.")
@click.option("--run", metavar="RUN", help="Of the JOB: this run only.")
@click.option(
    "--follow",
    is_flag=True,
    help="Go on telling what becomes of runs, as a server (--url) hears of it; of all jobs without JOB.",
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
    """List the runs of a JOB, on a dataset or below a run, newest first.

    Tells how each ended, how long it took, what it read and wrote and how much of it, and why it failed.

    \b
    headwater runs nightly_load
    headwater runs --dataset customers --use output
    headwater runs --parent 01926c4e-8e5f-7b2a-9d3c-1f2e3d4c5b6a
    headwater runs --follow --url http://127.0.0.1:8055
    """
    if follow:
        if dataset or parent or run or not url:
            raise click.UsageError("--follow goes with --url, and not with --dataset, --parent or --run")
        _follow(url, {} if job is None else _pattern(place(context, store, url), job, namespace), as_json)
        return
    if [job, dataset, parent].count(None) != 2:
        raise click.UsageError("name either a JOB, a --dataset or a --parent")
    if use and not dataset:
        raise click.UsageError("--use goes with --dataset")
    if run and not job:
        raise click.UsageError("--run goes with a JOB")
    where = place(context, store, url)
    if job is not None and run is not None:
        found, more = [_one(where, job_ref(where, job, namespace), run)], False
    elif job is not None:
        found, more = listed(where, "job_runs", job_ref(where, job, namespace), limit)
    elif parent is not None:
        found, more = listed(where, "child_runs", {"runId": parent}, limit)
    else:
        asked = {**dataset_ref(where, str(dataset), namespace), "use": use.upper() if use else None}
        found, more = listed(where, "dataset_runs", asked, limit)
    if as_json:
        print_json(found)
    else:
        print_table(HEADINGS, [_row(run) for run in found])
    tell_of_more(more, limit)


@click.command(epilog=EXIT_CODES)
@click.argument("job")
@_namespace
@store_or_url
@_json
@click.pass_context
def job(
    context: click.Context, job: str, namespace: str | None, store: str, url: str | None, as_json: bool
) -> None:
    """Tell whose a JOB is and how it goes.

    Who owns it, what it reads and writes, how its newest run went, and what is not known of its lineage. What the runs
    that it started did is its own, as an application's are.
    """
    where = place(context, store, url)
    asked = job_ref(where, job, namespace)
    found = where.ask("job", asked)["job"]
    if found is None:
        said = f"there is no job {asked['name']!r} in namespace {asked['namespace']!r}"
        raise Failure("UNKNOWN_JOB", said, did_you_mean(where, asked["name"], "JOB"))
    if as_json:
        print_json(found)
    else:
        print_table(("what", "is"), list(_told(found)))


def _one(where: Place, job: Mapping[str, Any], run: str) -> dict[str, Any]:
    found: dict[str, Any] | None = where.ask("run", {**job, "runId": run})["run"]
    if found is None:
        runs, _ = listed(where, "job_runs", job, 3)
        newest = ", ".join(each["runId"] for each in runs)
        raise Failure(
            "UNKNOWN_RUN", f"the job {job['name']!r} has no run {run!r}", f"its newest are {newest}"
        )
    return found


def _pattern(where: Place, job: str, namespace: str | None) -> dict[str, str]:
    """The job of that name; a name with ``*`` is any that fits."""
    if "*" in job:
        return {"job": job, **({"namespace": namespace} if namespace else {})}
    found = job_ref(where, job, namespace)
    return {"namespace": found["namespace"], "job": found["name"]}


def _follow(url: str, asked: Mapping[str, str], as_json: bool) -> None:
    """A line a run, until somebody interrupts."""
    if not as_json:
        print_row(FOLLOWED)
    try:
        for run in followed(url, asked):
            if run["missed"]:
                click.echo(f"{run['missed']} runs were left out here", err=True)
            if as_json:
                click.echo(visible_json(json.dumps(run, ensure_ascii=False)))
            else:
                print_row(_news(run))
    except KeyboardInterrupt:
        return


def _news(run: Mapping[str, Any]) -> tuple[str, ...]:
    when = run["endedAt"] or run["startedAt"] or ""
    return when, run["state"] or "", run["job"]["name"], run["runId"], (run["error"] or "").partition("\n")[0]


def _told(job: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "namespace", job["namespace"]
    yield "name", job["name"]
    yield from (("owner", owner["name"]) for owner in job["owners"])
    yield from (("description", text) for text in [job["description"]] if text)
    yield from (("tag", "=".join(filter(None, (each["key"], each["value"])))) for each in job["tags"])
    yield from (("reads", each["name"]) for each in job["inputs"])
    yield from (("writes", each["name"]) for each in job["outputs"])
    newest = job["lastRun"]
    if newest:
        told = (newest["startedAt"], newest["state"], duration(newest["durationSeconds"]))
        yield "last run", " ".join(filter(None, told))
        yield from (("error", text) for text in [newest["error"]] if text)
        yield from (("below it", _below(below)) for below in [newest["below"]] if below)
    yield from (("incomplete", _gap(each)) for each in job["incomplete"])


def _below(below: Mapping[str, Any]) -> str:
    """``12 runs: 11 COMPLETE, 1 FAIL; 42.1 s in all``."""
    states = ", ".join(f"{each['runs']} {each['state'] or 'of no state'}" for each in below["states"])
    more = " and more" if below["cut"] else ""
    return f"{below['runs']} runs{more}: {states}; {duration(below['seconds'])} in all"


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
        "; ".join(_wrong(run)),
    )


def _wrong(run: Mapping[str, Any]) -> Iterator[str]:
    """The first line of the error, and the tests that failed."""
    yield from (text.partition("\n")[0] for text in [run["error"]] if text)
    failed = [each["name"] for each in run["tests"] if each["status"] == "fail"]
    if failed:
        yield f"{len(failed)} of {len(run['tests'])} tests FAILED: {', '.join(failed[:NAMED])}"
    states = run["below"]["states"] if run["below"] else ()
    yield from (
        f"{each['runs']} runs below it: {each['state']}" for each in states if each["state"] in WENT_WRONG
    )


def _used_below(run: Mapping[str, Any], use: str) -> list[Mapping[str, Any]]:
    """What runs below it used, and not itself."""
    own = {(each["namespace"], each["name"]) for each in run[use]}
    below = run["below"][use] if run["below"] else ()
    return [each for each in below if (each["namespace"], each["name"]) not in own]


def _used(datasets: list[Mapping[str, Any]]) -> str:
    """``orders (12 rows, 340 bytes, 1 files, 1 of 2 assertions FAILED), …``"""
    told = ((each["name"], ", ".join(_amounts(each))) for each in datasets)
    return ", ".join(f"{name} ({amounts})" if amounts else name for name, amounts in told)


def _amounts(used: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{used[what]} {what}" for what in ("rows", "bytes", "files") if used[what] is not None)
    assertions = used.get("assertions", ())
    failed = sum(not each["success"] for each in assertions)
    if failed:
        yield f"{failed} of {len(assertions)} assertions FAILED"


def duration(seconds: float | None) -> str:
    """For people: ``42.1 s``, ``3.5 min``, ``2.0 h``."""
    if seconds is None:
        return ""
    for size, unit in UNITS:
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
