import { expect, test } from "vitest";

import { type Address, changed, read, START, write } from "../src/page/address";

const STATE: Address = {
  view: "matrix",
  dataset: { namespace: "s3://a", name: "b c/ü&=" },
  path: ["user.name", "_element", ""],
  job: { namespace: "n", name: "j" },
  level: "COLUMN",
  way: "FORWARD",
  depth: 7,
  influences: false,
  active: true,
  where: "country = 'US' AND ü <> '&'",
  mostWays: 12,
  record: [["a", "_element", "ü.x"], ["b"]],
  asOf: "2026-01-02T03:04:05.000Z",
  since: "2026-01-01T00:00:00.000Z",
  expanded: [
    { namespace: "s3://a", name: 'b "c', way: "BACKWARD", depth: 1 },
    { namespace: "n", name: "x", way: "FORWARD", depth: 50 },
  ],
  pages: 3,
  group: "owner",
  open: ["s3://a"],
  selected: { kind: "line", line: "a\u0000b\u0001c" },
  toggled: ["s3://a\u0000b\u0000\u0000c"],
  whole: ["s3://a\u0000b"],
  rowsOf: [["s3://a\u0000b", 125]],
  exposure: true,
  columns: "attribute",
  rows: "namespace",
  influenced: true,
  only: { category: "user.contact", special: true, subject: "customer", owner: "" },
  holder: { namespace: "h", name: "i", path: ["x", "", "y"] },
  category: "user.name",
  attribute: { namespace: "k", name: "l", path: [] },
  finding: "1f0c9b2d5e7a8c34",
  place: { namespace: "m", name: "n", path: ["o"] },
  states: "RESOLVED",
  flow: "CH,DE>US:VIOLATION",
  policy: "no e-mail outside",
  jobsLike: "enrich &",
};

test("an address restores the state that it was made of", () => {
  expect(read(write(STATE))).toEqual(STATE);
  expect(write(START)).toBe("");
  expect(read("")).toEqual(START);
});

test("each selection is restored, and none is distinguished from that of the place that holds personal data", () => {
  const card = "job n\u0000j";
  for (const selected of [
    undefined,
    null,
    { kind: "job", card },
    { kind: "group", card: "group ü" },
    { kind: "path", node: { namespace: "n", name: "d", path: ["", "a"] } },
  ] as const) {
    const query = write({ ...STATE, selected });
    expect(read(query).selected).toEqual(selected);
    expect(query).not.toMatch(/%0[01]/);
  }
  for (const text of ["", "{}", "[1]", '["path","n"]', '["other","x"]', "not JSON"]) {
    expect(read(`select=${encodeURIComponent(text)}`).selected).toBeUndefined();
  }
});

test("another place is selected, and another dataset is folded as at first", () => {
  expect(changed(STATE, { holder: null }).selected).toBeUndefined();
  expect(changed(STATE, { dataset: null })).toMatchObject({ toggled: [], whole: [], rowsOf: [], record: [] });
  expect(changed(STATE, { level: "PATH" })).toMatchObject({
    toggled: STATE.toggled,
    selected: STATE.selected,
  });
});

test("another question begins with the first page", () => {
  expect(changed(STATE, { group: "none", exposure: false })).toEqual({
    ...STATE,
    group: "none",
    exposure: false,
  });
  expect(changed(STATE, { depth: 9 })).toEqual({ ...STATE, depth: 9, pages: 1 });
  expect(changed(STATE, { depth: 9, pages: 2 })).toEqual({ ...STATE, depth: 9, pages: 2 });
});

test("what an address does not understand is left at its default", () => {
  expect(read("expand=[1]&expand=x&view=other&depth=-1&pages=0&level=all&as-of=yesterday&name=only")).toEqual(
    START,
  );
});
