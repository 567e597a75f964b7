import { expect, test } from "vitest";

import { conditionsIn, conditionsMade, conditionsOf } from "../src/lineage/conditions";
import type { LineageEdge } from "../src/lineage/model";

const DATASET = { namespace: "n", name: "orders" };
const reads = (...path: string[]) => ({ path: { ...DATASET, path } });
const FACETS = {
  headwater_conditions: {
    conditions: [
      { access: "FILTER", sql: "total > 3", expression: { op: ">", args: [reads("total"), { literal: 3 }] } },
      {
        access: "FILTER",
        sql: "f(kind)",
        expression: { opaque: "f(kind)", paths: [{ ...DATASET, path: ["kind"] }] },
      },
      { access: "JOIN", sql: "a.total = b.total", expression: { op: "=", args: [reads("total")] } },
      { access: "FILTER", sql: "unreadable", expression: 3 },
      { access: 1, sql: "bad" },
    ],
  },
};

const edge = (access: string | null, subtype: string): LineageEdge => ({
  key: "",
  source: "",
  target: "",
  job: { namespace: "n", name: "j" },
  transformations: [{ type: "INDIRECT", subtype, masking: false, manipulation: [], access, functions: [] }],
});
const node = (...path: string[]) => ({ ...DATASET, path, key: "", label: "", distance: 0 });

test("the predicates of a moment are those of all runs that count then, where they are known", () => {
  const predicate = { access: "FILTER", sql: "total > 3", expression: { op: ">", args: [reads("total")] } };
  expect(conditionsMade([{ predicates: [predicate] }, { predicates: null }])).toEqual([
    { access: "FILTER", sql: "total > 3", reads: [{ ...DATASET, path: ["total"] }] },
  ]);
});

test("an edge has the predicates of its purpose that read its source", () => {
  const all = conditionsIn(FACETS);
  const texts = (...found: Parameters<typeof conditionsOf>) => conditionsOf(...found).map((each) => each.sql);
  expect(texts(all, edge("FILTER", "FILTER"), node("total"))).toEqual(["total > 3", "unreadable"]);
  expect(texts(all, edge(null, "JOIN"), node("total", "net"))).toEqual(["a.total = b.total"]);
  expect(texts(all, edge("FILTER", "FILTER"), node("kind"))).toEqual(["f(kind)", "unreadable"]);
  expect(texts(all, edge("SORT", "SORT"), node("total"))).toEqual([]);
});

test("facets of any shape are read", () => {
  for (const facets of [null, "x", {}, { headwater_conditions: { conditions: 1 } }]) {
    expect(conditionsIn(facets)).toEqual([]);
  }
});
