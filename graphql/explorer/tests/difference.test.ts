import { expect, test } from "vitest";

import { type Lineage, lineageOf } from "../src/lineage/graph";
import { datasetKey } from "../src/lineage/names";
import { lineagePicture } from "../src/picture/lineage_picture";
import type { Card } from "../src/picture/model";
import { changedNodes, differenceOf } from "../src/time/difference";
import { marked } from "../src/time/marks";
import { momentsOf, placeOf } from "../src/time/moments";

/** A lineage of edges between columns of datasets, each written `dataset.column`, with a subtype. */
function lineage(edges: readonly [string, string, string][], cursor: string | null = null): Lineage {
  const names = [...new Set(edges.flatMap((edge) => edge.slice(0, 2)))];
  return lineageOf(
    {
      complete: true,
      cursor,
      incomplete: [],
      nodes: names.map((name) => ({ ...node(name), label: name, distance: 0, reach: "DIRECT" as const })),
      edges: edges.map(([source, target, subtype]) => ({
        source: names.indexOf(source),
        target: names.indexOf(target),
        job: { namespace: "n", name: "j" },
        transformations: [
          { type: "DIRECT", subtype, masking: false, manipulation: [], access: null, functions: [] },
        ],
      })),
    },
    1,
  );
}

function node(text: string) {
  const [name = "", ...path] = text.split(".");
  return { namespace: "n", name, path };
}

const BEFORE = lineage([
  ["a.x", "b.x", "IDENTITY"],
  ["a.y", "b.y", "IDENTITY"],
  ["a.z", "b.z", "IDENTITY"],
]);
const AFTER = lineage([
  ["a.x", "b.x", "IDENTITY"],
  ["a.y", "b.y", "TRANSFORMATION"],
  ["b.x", "c.x", "IDENTITY"],
]);

test("edges are added, gone, or made in another way; nodes are added or gone", () => {
  const difference = differenceOf(BEFORE, AFTER);
  const { both, edges } = difference;
  const label = (key: string) => both.nodes.get(key)?.label;
  const changes = [...edges.values()].map(({ mark, edge }) => [mark, label(edge.source), label(edge.target)]);
  expect(changes).toEqual([
    ["changed", "a.y", "b.y"],
    ["added", "b.x", "c.x"],
    ["gone", "a.z", "b.z"],
  ]);
  expect(changedNodes(difference).map(({ node, mark }) => [mark, node.label])).toEqual([
    ["added", "c.x"],
    ["gone", "a.z"],
    ["gone", "b.z"],
  ]);
});

test("what is the same does not differ, in whatever order it comes", () => {
  const difference = differenceOf(BEFORE, BEFORE);
  expect([difference.edges.size, difference.nodes.size, difference.doubtful]).toEqual([0, 0, false]);
});

test("where a lineage is cut, what looks new or gone is doubtful", () => {
  expect(differenceOf(BEFORE, lineage([], "more")).doubtful).toBe(true);
});

test("the picture of both moments has marks on rows, cards and lines", () => {
  const difference = differenceOf(BEFORE, AFTER);
  const plain = lineagePicture(difference.both, {
    level: "PATH",
    way: "BOTH",
    start: null,
    toggled: new Set(),
    schemas: new Map(),
    whole: new Set(),
    rows: new Map(),
    expanded: new Set(),
  });
  const picture = marked(plain, difference);
  const cards = picture.cards.map(({ title, mark, rows }) => [
    title,
    mark,
    ...rows.map((row) => `${row.name} ${row.mark ?? ""}`.trim()),
  ]);
  expect(cards).toEqual([
    ["a", "changed", "x", "y", "z gone"],
    ["b", "changed", "x", "y changed", "z gone"],
    ["c", "added", "x added"],
    ["j", "changed"],
  ]);
  expect(picture.lines.map(({ mark }) => mark)).toEqual([undefined, "changed", "added", "gone"]);
});

test("a group has the mark that all datasets in it have, or differs", () => {
  const difference = differenceOf(BEFORE, AFTER);
  const marks = [["c"], ["a", "c"], ["other"]].map((names) => {
    const members = names.map((name) => datasetKey(node(name)));
    const group = { id: "group g", kind: "group", rows: [], members } as unknown as Card;
    return marked({ cards: [group], lines: [] }, difference).cards[0]?.mark;
  });
  expect(marks).toEqual(["added", "changed", undefined]);
});

test("moments are the ends of runs, oldest first, each once", () => {
  const run = (startedAt: string, endedAt: string | null) =>
    ({ startedAt, endedAt, job: { namespace: "n", name: "j" } }) as Parameters<
      typeof momentsOf
    >[0] extends Iterable<infer Run>
      ? Run
      : never;
  const moments = momentsOf([
    run("2026-01-03T00:00:00Z", null),
    run("2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"),
    run("2026-01-01T00:30:00Z", "2026-01-01T01:00:00+00:00"),
  ]);
  expect(moments.map(({ at }) => at)).toEqual(["2026-01-01T01:00:00+00:00", "2026-01-03T00:00:00Z"]);
  expect(
    ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", "2025-01-01T00:00:00Z"].map((at) =>
      placeOf(moments, at),
    ),
  ).toEqual([0, 1, -1]);
});
