import { expect, test } from "vitest";

import { expansionKey } from "../src/lineage/expansions";
import { type Lineage, lineageOf } from "../src/lineage/graph";
import { datasetKey, type Way } from "../src/lineage/names";
import { beyondJobs } from "../src/picture/beyond";

const dataset = (name: string) => ({ namespace: "n", name });
const gap = { reason: "DEPTH", path: [], detail: "", job: null };

/** A job that makes `b` and `c` of `a`, from which the search began; it ended at those datasets. */
function lineage(...ends: readonly string[]): Lineage {
  const nodes = ["a", "b", "c"].map((name) => ({ ...dataset(name), path: [], label: name }));
  return lineageOf(
    {
      complete: false,
      cursor: null,
      incomplete: ends.map((name) => ({ ...gap, ...dataset(name) })),
      nodes: nodes.map((node, index) => ({
        ...node,
        distance: Math.min(index, 1),
        reach: "DIRECT" as const,
      })),
      edges: [1, 2].map((target) => ({ source: 0, target, job: dataset("j"), transformations: [] })),
    },
    1,
  );
}

function beyond(found: Lineage, way: Way, ...expanded: readonly string[]) {
  const keys = expanded.map((name) => expansionKey({ ...dataset(name), way: "FORWARD" }));
  const { after, goesOnAt, before } = beyondJobs(found, { way, expanded: new Set(keys) }, ({ job }) =>
    datasetKey(job),
  )(datasetKey(dataset("j")));
  return { before, after, at: goesOnAt?.FORWARD.map(({ name }) => name) };
}

test("a job goes on where a dataset that it writes does, until all of those are expanded", () => {
  expect(beyond(lineage("b", "c"), "FORWARD")).toEqual({ before: "unknown", after: "more", at: ["b", "c"] });
  expect(beyond(lineage("b", "c"), "FORWARD", "b")).toMatchObject({ after: "more", at: ["c"] });
  expect(beyond(lineage("b", "c"), "FORWARD", "b", "c")).toMatchObject({ after: "expanded", at: ["b", "c"] });
});

test("a job ends where all of its datasets do, and is unknown where nothing was asked", () => {
  expect(beyond(lineage(), "BOTH")).toMatchObject({ before: "end", after: "end", at: [] });
  expect(beyond(lineage(), "BACKWARD")).toMatchObject({ before: "end", after: "unknown", at: ["b", "c"] });
});
