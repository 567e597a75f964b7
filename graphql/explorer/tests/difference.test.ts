import { expect, test } from "vitest";

import { join, type Lineage, lineageOf } from "../src/lineage/graph";
import { datasetKey } from "../src/lineage/names";
import { lineagePicture } from "../src/picture/lineage_picture";
import { marked } from "../src/picture/marks";
import type { Card } from "../src/picture/model";
import { changedNodes, differenceOf } from "../src/time/difference";
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

test("edges are added, gone, or made in another way; nodes are added, gone, or reached in another way", () => {
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
    ["changed", "b.y"],
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
  const cards = picture.cards.map(({ title, mark, partly, rows }) => [
    title,
    mark ?? partly,
    ...rows.map((row) => `${row.name} ${row.mark ?? ""}`.trim()),
  ]);
  expect(cards).toEqual([
    ["a", ["gone"], "x", "y", "z gone"],
    ["b", "changed", "x", "y changed", "z gone"],
    ["c", "added", "x added"],
    ["j", "changed"],
  ]);
  expect(picture.lines.map(({ mark }) => mark)).toEqual([undefined, "changed", "added", "gone"]);
});

test("a group has the mark that all datasets in it have, or says how some differ", () => {
  const difference = differenceOf(BEFORE, AFTER);
  const marks = [["c"], ["a", "c"], ["other"]].map((names) => {
    const members = names.map((name) => datasetKey(node(name)));
    const group = { id: "group g", kind: "group", rows: [], members } as unknown as Card;
    const [card] = marked({ cards: [group], lines: [] }, difference).cards;
    return card?.mark ?? card?.partly;
  });
  expect(marks).toEqual(["added", ["added", "gone"], undefined]);
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

/** Numbers from 0 up to below the given one, the same for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

/** What is at most so many edges behind `s.x`, as the server answers it. */
function within(edges: readonly [string, string, string][], depth: number): Lineage {
  let reached = new Set(["s.x"]);
  let kept: [string, string, string][] = [];
  for (let step = 0; step < depth; step++) {
    kept = edges.filter(([source]) => reached.has(source));
    reached = new Set([...reached, ...kept.map(([, target]) => target)]);
  }
  return lineage([["s.x", "s.x", "IDENTITY"], ...kept]);
}

test("marks do not depend on the depth that is shown, and each sign is among the counts", () => {
  const paths = ["s.x", "a.x", "a.y", "b.x", "b.y", "c.x", "c.y", "d.x", "e.x"];
  for (let seed = 0; seed < 100; seed++) {
    const next = random(seed);
    const some = (count: number) =>
      Array.from({ length: count }, (): [string, string, string] => [
        paths[next(paths.length)] as string,
        paths[next(paths.length)] as string,
        next(4) > 0 ? "IDENTITY" : "TRANSFORMATION",
      ]);
    const same = some(9);
    const [before, after] = [
      [...same, ...some(3)],
      [...same, ...some(3)],
    ];
    const whole = [within(before, 50), within(after, 50)] as const;
    const marks = differenceOf(...whole);
    for (const depth of [1, 2, 3, 4, 50]) {
      const shown = join(within(after, depth), within(before, depth));
      const difference = differenceOf(...whole, shown);
      expect([difference.nodes, difference.edges], `seed ${seed}`).toEqual([marks.nodes, marks.edges]);
      for (const level of ["PATH", "DATASET", "JOB"] as const) {
        const rows = {
          toggled: new Set<string>(),
          schemas: new Map(),
          whole: new Set<string>(),
          rows: new Map(),
        };
        const wish = { ...rows, level, way: "BOTH" as const, start: null, expanded: new Set<string>() };
        const { cards, lines } = marked(lineagePicture(shown, wish), difference);
        const signs = [...cards, ...cards.flatMap((card) => card.rows), ...lines].flatMap((each) => [
          ...(each.mark ? [each.mark] : []),
          ...(each.partly ?? []),
        ]);
        const listed = [...changedNodes(difference), ...difference.edges.values()].map(({ mark }) => mark);
        expect(
          [...new Set(signs)].filter((sign) => !listed.includes(sign)),
          `seed ${seed}`,
        ).toEqual([]);
      }
    }
  }
});
