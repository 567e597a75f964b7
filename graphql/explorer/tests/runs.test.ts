import { expect, test } from "vitest";

import { barsOf, durationText, figureOf, rowsOf, secondsBetween } from "../src/runs/figures";
import { latest } from "../src/runs/JobList";
import { type Live, type News, newsKey, withAnswer, withConnection, withNews } from "../src/runs/news";

const JOB = { namespace: "n", name: "load" };

function news(runId: string, state: string, startedAt = "2026-01-02T00:00:00Z", missed = 0): News {
  return { runId, job: JOB, state, startedAt, endedAt: null, error: null, missed };
}

test("durations have at most two units", () => {
  expect([0.04, 9.96, 59, 61, 3_700, null].map(durationText)).toEqual([
    "0 s",
    "10 s",
    "59 s",
    "1 min",
    "1 h 2 min",
    "",
  ]);
});

test("a run that ends before it starts has no duration", () => {
  expect(secondsBetween("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z")).toBeNull();
  expect(secondsBetween("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.5Z")).toBe(1.5);
});

test("rows that nobody counted are not known, and not none", () => {
  expect(rowsOf([{ rows: null }])).toBeNull();
  expect(rowsOf([{ rows: 0 }])).toBe(0);
  expect(rowsOf([{ rows: 2 }, { rows: null }, { rows: 3 }])).toBe(5);
});

test("the largest figure fills the chart, and what is not known has no bar", () => {
  const figures = [5, null, 10].map((rows, place) => ({
    id: `${place}`,
    failed: false,
    seconds: null,
    rows,
  }));
  const { bars, most } = barsOf(figures, ({ rows }) => rows, 300, 80);
  expect(most).toBe(10);
  expect(bars.map(({ id, x, height }) => [id, x, height])).toEqual([
    ["0", 0, 40],
    ["2", 200, 80],
  ]);
});

test("an aborted run counts as failed", () => {
  const run = { runId: "r", state: "ABORT", startedAt: null, endedAt: null, outputs: [] };
  expect(figureOf(run)).toEqual({ id: "r", failed: true, seconds: null, rows: null });
});

test("news replaces what was known of the same run, and counts what was left out", () => {
  const empty: Live = { connection: "live", news: new Map(), missed: 0 };
  const after = [news("a", "START"), news("b", "START"), news("a", "COMPLETE", undefined, 3)].reduce(
    withNews,
    empty,
  );
  expect([...after.news].map(([key, each]) => [key, each.state])).toEqual([
    [newsKey(news("b", "")), "START"],
    [newsKey(news("a", "")), "COMPLETE"],
  ]);
  expect(after.missed).toBe(3);
});

test("what was news before the connection broke does not outlive it", () => {
  const before: Live = { connection: "live", news: new Map([["a", news("a", "START")]]), missed: 2 };
  const lost = withConnection(before, "lost");
  expect(lost.news.size).toBe(1);
  expect(withConnection(lost, "live")).toEqual({ connection: "live", news: new Map(), missed: 2 });
});

test("a page is live once the server misses nothing, and not by its connection", () => {
  const before: Live = { connection: "connecting", news: new Map(), missed: 0 };
  expect(withAnswer(before, null).connection).toBe("live");
  expect(withAnswer(before, news("a", "START")).news.size).toBe(1);
});

test("news of an older run does not hide the newest", () => {
  const lastRun = { runId: "new", state: "COMPLETE", startedAt: "2026-01-03T00:00:00Z", endedAt: null };
  const listed = { ...JOB, lastRun: { ...lastRun, durationSeconds: null, error: null } };
  expect(latest([listed], [news("old", "FAIL")], "")[0]?.lastRun?.state).toBe("COMPLETE");
  expect(latest([listed], [news("new", "FAIL")], "")[0]?.lastRun?.state).toBe("FAIL");
});

test("a job that was not listed comes first, if it is looked for", () => {
  const other = { namespace: "n", name: "other", lastRun: null };
  expect(latest([other], [news("a", "START")], "").map(({ name }) => name)).toEqual(["load", "other"]);
  expect(latest([other], [news("a", "START")], "oth").map(({ name }) => name)).toEqual(["other"]);
});
