"""How quick the explorer is with large pictures, in a browser without a graphics card.

    python tests/bench/bench_explorer.py

prints, of a server on this machine: the first load; the first picture of 1,000 datasets with 5,000 edges, the frames
per second while it is moved and zoomed, near and far, with the ratio to those of an empty page of the same browser;
the same with 4,000 cards at several zooms, with what a frame takes and the elements of the page; one expansion; the
opening of a dataset with 5,000 paths; a closure of 3,600 nodes; and, over a line of 400 kbit/s, the first opening and
one with what the browser keeps, beside what the line needs for what was sent. With ``--line``, the last alone; with
``--home``, the home of a company alone: 2,786 datasets in groups, and all 4,086 cards of it.

Aims: first load 1 s, first picture 1.5 s, 50 frames/s, with 4,000 cards 30, expansion 200 ms, 5,000 paths 300 ms, and a
second more than the slow line needs. Times include the server's answers.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from kit import browser
from kit.servers import serving

DATASETS, JOBS, READS, WRITES = 1_000, 250, 16, 4
PATHS, BRANCHES, LEAVES, COLUMNS = 5_000, 9, 350, 10
LAYERS, JOBS_OF_LAYER = 10, 80
OFFICES, TABLES_OF_OFFICE = 14, 199
ZOOMS = (0.05, 0.2, 0.5, 0.75, 1.0)
BYTES = 50_000
"""What the slow line carries in a second."""
LINE = {"offline": False, "latency": 40, "downloadThroughput": BYTES, "uploadThroughput": BYTES}
NO_LIMIT = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
RUNS = 5
MOVES, STEP = 60, 6
_URL = "https://example.org/bench"
_META = {"_producer": _URL, "_schemaURL": _URL}
_FRAMES = """() => {
  window.frames_ = [];
  const note = (now) => { window.frames_.push(now); window.noting_ = requestAnimationFrame(note); };
  window.noting_ = requestAnimationFrame(note);
}"""
_FRAMES_PER_SECOND = """() => {
  cancelAnimationFrame(window.noting_);
  const all = window.frames_;
  return 1000 * (all.length - 1) / (all.at(-1) - all[0]);
}"""


_ZOOM = (
    """() => new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform).a"""
)


def event(job: str, sources: list[str], targets: list[str], columns: list[str], moved: int) -> dict[str, Any]:
    """A run that moves the first columns of each source to those of each target."""
    schema = {**_META, "fields": [{"name": name, "type": "string"} for name in columns]}
    fields = {
        name: {"inputFields": [{"namespace": "bench", "name": source, "field": name} for source in sources]}
        for name in columns[:moved]
    }
    facets = {"schema": schema, "columnLineage": {**_META, "fields": fields}}
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T10:00:00Z",
        "producer": _URL,
        "run": {"runId": f"0193f5a0-0000-7000-8000-{zlib.crc32(job.encode()):012d}"},
        "job": {"namespace": "bench", "name": job},
        "inputs": [{"namespace": "bench", "name": name, "facets": {"schema": schema}} for name in sources],
        "outputs": [{"namespace": "bench", "name": name, "facets": facets} for name in targets],
    }


def flow() -> Iterator[dict[str, Any]]:
    """1,000 datasets, which jobs read 16 and write 4 of."""
    chance = random.Random(1)
    for number in range(JOBS):
        first = number * WRITES
        near = range(max(0, first - 120), first) or range(DATASETS - 40, DATASETS)
        reads = chance.sample(near, min(READS, len(near)))
        reads += chance.sample(range(DATASETS - 200, DATASETS), READS - len(reads))
        sources = [f"table_{each}" for each in sorted(set(reads) - set(range(first, first + WRITES)))]
        yield event(f"job_{number}", sources, [f"table_{first + at}" for at in range(WRITES)], ["id"], 1)


def company() -> Iterator[dict[str, Any]]:
    """3,200 datasets in layers, each written by one of 800 jobs that read four of the layer before."""
    chance = random.Random(2)
    for layer in range(LAYERS):
        for job in range(JOBS_OF_LAYER):
            sources = [f"source_{job % 40}"]
            if layer > 0:
                sources = [f"table_{layer - 1}_{at}" for at in chance.sample(range(4 * JOBS_OF_LAYER), 4)]
            written = [f"table_{layer}_{4 * job + at}" for at in range(WRITES)]
            yield event(f"job_{layer}_{job}", sources, written, ["id", "name", "mail"], 3)


def offices() -> Iterator[dict[str, Any]]:
    """2,786 datasets in 14 namespaces, which 1,300 jobs copy from one to the next, two at a time."""
    for office in range(1, OFFICES):
        for table in range(0, TABLES_OF_OFFICE, 2):
            names = [f"table_{each}" for each in range(table, min(table + 2, TABLES_OF_OFFICE))]
            copied = event(f"copy_{office}_{table}", names, names, ["id"], 0)
            for part, of in (("inputs", office - 1), ("outputs", office)):
                copied[part] = [{**each, "namespace": f"office_{of}"} for each in copied[part]]
            yield copied


def wide() -> Iterator[dict[str, Any]]:
    """A dataset of 5,000 paths of which one is on the lineage; and, of one dataset, a closure of 3,600 nodes."""
    yield event("widen", ["narrow"], ["wide"], [f"column_{at}" for at in range(PATHS)], 1)
    columns = [f"column_{at}" for at in range(COLUMNS)]
    for branch in range(BRANCHES):
        yield event(f"branch_{branch}", ["root"], [f"branch_{branch}"], columns, COLUMNS)
    for leaf in range(LEAVES):
        yield event(f"leaf_{leaf}", [f"branch_{leaf % BRANCHES}"], [f"leaf_{leaf}"], columns, COLUMNS)


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def report(what: str, measured: list[float], aim: float) -> None:
    middle = statistics.median(measured)
    print(
        f"{what:44} {middle * 1000:7.0f} ms, worst {max(measured) * 1000:7.0f}; {middle / aim:5.2f} of the aim"
    )


def frames(page: Page, move: Callable[[int], None]) -> float:
    """The frames per second of the page while something moves."""
    page.evaluate(_FRAMES)
    for step in range(MOVES):
        move(step)
    rate: float = page.evaluate(_FRAMES_PER_SECOND)
    return rate


def drag(page: Page) -> float:
    page.mouse.move(700, 450)
    page.mouse.down()
    rate = frames(page, lambda step: page.mouse.move(700 - STEP * step, 450 - step))
    page.mouse.up()
    return rate


def wheel(page: Page) -> float:
    page.mouse.move(640, 450)
    return frames(page, lambda step: page.mouse.wheel(0, 30 if step % 20 < 10 else -30))


def whole_store(page: Page, address: str) -> None:
    """First load, first picture, and moving it."""

    def first_picture() -> None:
        page.goto(f"{address}/?group=none")
        page.locator(".card.dataset").first.wait_for()

    def first_load() -> None:
        page.goto(f"{address}/?namespace=bench&name=narrow&depth=1")
        page.get_by_role("navigation").first.wait_for()

    report("first load", [seconds(first_load) for _ in range(RUNS)], 1)
    report("first picture of 1,000 datasets", [seconds(first_picture) for _ in range(RUNS)], 1.5)
    page.goto("about:blank")
    empty = {"moved": drag(page), "zoomed": wheel(page)}
    for place in ("far", "near"):
        first_picture()
        page.locator(".react-flow__controls-fitview").click()
        for _ in range(12 if place == "near" else 0):
            page.locator(".react-flow__controls-zoomin").click()
        page.wait_for_timeout(1_000)
        for what, move in (("moved", drag), ("zoomed", wheel)):
            rates = [move(page) for _ in range(RUNS)]
            rate = statistics.median(rates)
            share = rate / empty[what]
            text = f"{what}, {place}"
            print(f"{text:44} {rate:7.0f} frames/s, worst {min(rates):.0f}; {share:.2f} of an empty page")


def zoom_to(page: Page, wanted: float) -> None:
    """Shows the whole picture, and goes nearer to its middle."""
    page.locator(".react-flow__controls-fitview").click()
    for _ in range(100):
        page.wait_for_timeout(50)
        zoom = page.evaluate(_ZOOM)
        if abs(zoom / wanted - 1) < 0.12:
            break
        page.mouse.move(640, 424)
        page.mouse.wheel(0, -100 if zoom < wanted else 100)
    page.wait_for_timeout(1_000)


def large(page: Page, address: str) -> None:
    """4,000 cards, moved and zoomed: frames, and what a frame takes, which other programs change less."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")

    def spent() -> dict[str, float]:
        return {each["name"]: each["value"] for each in devtools.send("Performance.getMetrics")["metrics"]}

    page.goto(f"{address}/?group=none&pages=5")
    page.locator(".card.dataset").first.wait_for()
    page.wait_for_timeout(2_000)
    for zoom in ZOOMS:
        zoom_to(page, zoom)
        for what, move in (("moved", drag), ("zoomed", wheel)):
            before, rate, after = spent(), move(page), spent()
            count = page.evaluate("window.frames_.length")
            task, script = (
                1_000 * (after[name] - before[name]) / count for name in ("TaskDuration", "ScriptDuration")
            )
            elements = page.locator(".canvas *").count()
            print(
                f"4,000 cards {what} at {zoom:4} {rate:24.0f} frames/s; {task:.1f} ms each, {script:.1f} of scripts; "
                f"{elements} elements"
            )
            page.wait_for_timeout(500)


def home(page: Page, address: str) -> None:
    """The first picture of a company, in groups and all of it, and moving that."""
    for what, query, card in (
        ("home of 2,786 datasets, in groups", "/", ".card.group"),
        ("all of it: 4,086 cards", "/?group=none&pages=5", ".card.dataset"),
    ):

        def first_picture(query: str = query, card: str = card) -> None:
            page.goto(f"{address}{query}")
            page.locator(card).first.wait_for()

        report(what, [seconds(first_picture) for _ in range(RUNS)], 1.5)
    large(page, address)


def expansion(page: Page, address: str) -> float:
    page.goto(f"{address}/?namespace=bench&name=table_400&way=backward&depth=1")
    page.locator(".expand.more").first.wait_for(state="attached")
    before = page.locator(".card").count()
    page.wait_for_timeout(500)

    def expand() -> None:
        page.locator(".expand.more").first.dispatch_event("click")  # small pictures of it hide the button
        page.wait_for_function("before => document.querySelectorAll('.card').length > before", arg=before)

    return seconds(expand)


def all_paths(page: Page, address: str) -> float:
    page.goto(f"{address}/?namespace=bench&name=wide&depth=1")
    card = page.get_by_role("region", name="dataset wide")
    card.get_by_role("button").first.click()

    def open_all() -> None:
        page.get_by_role("button", name="All paths").click()
        expect(card.locator(".more-rows")).to_be_visible()

    return seconds(open_all)


def closure(page: Page, address: str) -> float:
    def show() -> None:
        page.goto(f"{address}/?namespace=bench&name=root&depth=50")
        page.locator(".card.dataset").first.wait_for()

    return seconds(show)


def slow_line(opened: Browser, address: str) -> None:
    """The first opening of a lineage over a slow line, and the next, against the time that the line is busy."""
    lineage = f"{address}/?namespace=bench&name=branch_1&depth=1&level=dataset"
    measured: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for _ in range(RUNS):
        for line in (LINE, NO_LIMIT):
            with opened.new_context(
                viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
            ) as context:
                for what in ("first", "again"):
                    name = f"opened {what} {'at 400 kbit/s' if line is LINE else 'without a limit'}"
                    measured[name].append(over_line(context, lineage, line))
    for name, each in measured.items():
        took, sent = (statistics.median(values) for values in zip(*each, strict=True))
        print(f"{name:44} {took:7.2f} s; {sent / 1000:.0f} kB take {sent / BYTES:.2f} s at 400 kbit/s")


def over_line(context: BrowserContext, address: str, line: dict[str, Any]) -> tuple[float, float]:
    """How long it takes over the line until a card is there, and how many bytes were sent until then."""
    page = context.new_page()
    received: list[float] = []
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", line)
    devtools.on("Network.loadingFinished", lambda each: received.append(each["encodedDataLength"]))

    def show() -> None:
        page.goto(address)
        page.locator(".card.dataset").first.wait_for()

    took = seconds(show)
    page.close()
    return took, sum(received)


def served(events: Iterator[dict[str, Any]], folder: str, name: str) -> LineageStore:
    store = open_store(f"sqlite:///{folder}/{name}.db")
    ingest(store, list(events))
    return store


def main() -> None:
    line_alone, home_alone = sys.argv[1:] == ["--line"], sys.argv[1:] == ["--home"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser.chromium(), args=list(browser.QUIET))
        if not home_alone:
            with serving(served(wide(), folder, "wide")) as address:
                slow_line(opened, address)
        page = opened.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        if not line_alone:
            with serving(served(offices(), folder, "offices")) as address:
                home(page, address)
        if not (line_alone or home_alone):
            quick_line(page, folder)
        opened.close()


def quick_line(page: Page, folder: str) -> None:
    """Everything that does not depend on the line."""
    with serving(served(flow(), folder, "flow")) as address:
        whole_store(page, address)
        report("one expansion", [expansion(page, address) for _ in range(RUNS)], 0.2)
    with serving(served(company(), folder, "company")) as address:
        large(page, address)
    with serving(served(wide(), folder, "far")) as address:
        report("5,000 paths of a dataset", [all_paths(page, address) for _ in range(RUNS)], 0.3)
        report("a closure of 3,600 nodes", [closure(page, address) for _ in range(RUNS)], 1.5)


if __name__ == "__main__":
    main()
