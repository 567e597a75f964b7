import { expect, test } from "vitest";

import { dotOf } from "../src/drawing/dot";
import { titlesOf } from "../src/drawing/frame";
import { mermaidOf } from "../src/drawing/mermaid";
import { LIGHT } from "../src/drawing/palette";
import { svgOf } from "../src/drawing/svg";
import { grown } from "../src/lineage/expansions";
import { join, type Lineage, lineageOf } from "../src/lineage/graph";
import type { Effect, Graph } from "../src/lineage/model";
import { datasetKey } from "../src/lineage/names";
import { conjoined } from "../src/lineage/pruned";
import { folded } from "../src/picture/groups";
import { lineagePicture } from "../src/picture/lineage_picture";
import { sizeOf } from "../src/picture/measures";
import { wayOf } from "../src/picture/way";
import { DRAWING_WORDS } from "../src/words/en/drawing";

const WHY = "a9 to a7 keeps region = 'Europe', but a5 to a3 keeps region = 'Americas'";

function node(name: string) {
  return { namespace: "n", name, path: ["x"], label: "x" };
}

const direct = {
  type: "DIRECT" as const,
  subtype: "IDENTITY",
  masking: false,
  manipulation: [],
  access: null,
  functions: [],
};

/** An answer from the first dataset back: each edge is written source, target; `because` of those that are pruned. */
function answer(
  start: string,
  taken: readonly [string, string][],
  pruned: readonly [string, string, ...string[]][] = [],
  more: Partial<Graph> = {},
): Graph {
  const names = [start, ...new Set(taken.flat().filter((name) => name !== start))];
  const of = (source: string, target: string) => ({
    job: { namespace: "n", name: `${source} to ${target}` },
    transformations: [direct],
  });
  return {
    complete: true,
    cursor: null,
    incomplete: [],
    nodes: names.map((name, at) => ({ ...node(name), distance: at, reach: "DIRECT" as const })),
    edges: taken.map(([source, target]) => ({
      ...of(source, target),
      source: names.indexOf(source),
      target: names.indexOf(target),
    })),
    pruned: pruned.map(([source, target, ...because]) => ({
      ...of(source, target),
      source: node(source),
      target: node(target),
      because,
    })),
    ...more,
  };
}

const A1 = answer(
  "a1",
  [
    ["a3", "a1"],
    ["a5", "a3"],
    ["a7", "a5"],
  ],
  [
    ["a9", "a7", WHY],
    ["b1", "a9"],
  ],
);

function names(keys: Iterable<string>): string[] {
  return [...keys].map((key) => key.split("\u0000")[1] as string);
}

function picture(lineage: Lineage) {
  const none = new Set<string>();
  const wish = { level: "PATH", way: "BOTH", start: null, toggled: none, schemas: new Map() } as const;
  return lineagePicture(lineage, { ...wish, whole: none, rows: new Map(), expanded: none });
}

test("ways that no data can take are in the picture, apart from the others, each step farther than the one before", () => {
  const lineage = lineageOf(A1, -1);
  expect(names([...lineage.pruned.values()].map((edge) => edge.source))).toEqual(["a9", "b1"]);
  expect([...lineage.pruned.values()].map((edge) => edge.because)).toEqual([[WHY], []]);
  const distances = [...lineage.nodes.values()].map(({ name, distance }) => [name, distance]);
  expect(Object.fromEntries(distances)).toMatchObject({ a1: -0, a7: -3, a9: -4, b1: -5 });
  const lines = picture(lineage).lines;
  expect(lines.filter((line) => line.pruned).map((line) => line.edges[0]?.because)).toEqual([[WHY], []]);
  expect(lines.filter((line) => !line.pruned)).toHaveLength(3);
});

test("the way of a path does not lead along what no data can take", () => {
  const lineage = lineageOf(A1, -1);
  expect(names(wayOf(lineage, node("a1")).nodes).sort()).toEqual(["a1", "a3", "a5", "a7"]);
});

test("what data can take in one of two answers is taken in both together", () => {
  const lineage = join(
    lineageOf(A1, -1),
    lineageOf(
      answer("a5", [
        ["a7", "a5"],
        ["a9", "a7"],
      ]),
      -1,
    ),
  );
  expect(names([...lineage.pruned.values()].map((edge) => edge.source))).toEqual(["b1"]);
});

test("what no data of the start can take stays so where the reader goes on, and all beyond it is left out", () => {
  const from = { namespace: "n", name: "a7", way: "BACKWARD", depth: 2 } as const;
  const more = answer(
    "a7",
    [
      ["a9", "a7"],
      ["b1", "a9"],
      ["c1", "a7"],
    ],
    [["d1", "a7", "why"]],
  );
  const lineage = grown(lineageOf(A1, -1), lineageOf(more, -1), from);
  expect(names([...lineage.pruned.values()].map((edge) => edge.source))).toEqual(["a9", "b1", "d1"]);
  expect(names([...lineage.edges.values()].map((edge) => edge.source))).toContain("c1");
});

test("lines that come together between groups can be taken if one of them can", () => {
  const drawn = picture(
    lineageOf(
      answer(
        "a1",
        [["a2", "a1"]],
        [
          ["s1", "a2", WHY],
          ["s2", "a2", WHY],
        ],
      ),
      -1,
    ),
  );
  const cards = drawn.cards.map((card) => (card.name.startsWith("s") ? { ...card, namespace: "s" } : card));
  const between = (isPruned: (at: number) => boolean) => {
    const lines = drawn.lines.map((line, at) => ({ ...line, through: null, pruned: isPruned(at) }));
    const wish = { by: "namespace", open: new Set(["n"]), owners: new Map() } as const;
    const shown = folded({ cards, lines }, wish).lines;
    return shown.filter((line) => line.source.card === "group s").map((line) => line.pruned);
  };
  expect(between(() => true)).toEqual([true]);
  expect(between((at) => at !== 2)).toEqual([false]);
  expect(between((at) => at !== 1)).toEqual([false]);
});

test("an edge that was not decided in time is taken, and says so", () => {
  const undecided = [{ source: node("a3"), target: node("a1"), job: { namespace: "n", name: "a3 to a1" } }];
  const lineage = lineageOf({ ...A1, undecided }, -1);
  expect([...lineage.edges.values()].map((edge) => edge.undecided)).toEqual([true, undefined, undefined]);
});

test("what a condition excludes counts in both directions, and is not known where one of them does not know it", () => {
  const with_ = (...effects: Effect[]) => lineageOf(answer("a1", [], [], { effects }), -1);
  const [one, other] = [
    { sql: "a", near: 1, all: 2 },
    { sql: "b", near: 0, all: 0 },
  ] as const;
  expect(join(with_(one, other), with_(one, { sql: "b", near: null, all: null })).effects).toEqual([
    { sql: "a", near: 2, all: 4 },
    { sql: "b", near: null, all: null },
  ]);
});

test("where an answer stopped is of its direction", () => {
  const choices = [{ sql: "region = 'Europe'", keeps: 1, ends: 2 }];
  const stopped = { ways: 2, at: [node("a7")], choices };
  const lineage = lineageOf(answer("a1", [], [], { stopped }), -1);
  expect(lineage.stops).toEqual([{ way: "BACKWARD", ways: 2, at: ["a7 · x"], choices }]);
});

test("a condition that is added holds with all that were there", () => {
  expect(conjoined("", "a = 1")).toBe("a = 1");
  expect(conjoined("a = 1 or b = 2", "c = 3")).toBe("(a = 1 or b = 2) AND c = 3");
  expect(conjoined("a = 1", "b = 2 OR c = 3")).toBe("a = 1 AND (b = 2 OR c = 3)");
});

test("drawings tell ways that no data can take, with the reason in SVG", () => {
  const drawn = picture(lineageOf(A1, -1));
  const places = new Map(drawn.cards.map((card, at) => [card.id, { x: 300 * at, y: 0, ...sizeOf(card) }]));
  const start = { namespace: "n", name: "a1", path: [] };
  const question = { node: start, level: "PATH", way: "BOTH", depth: 9, asOf: null } as const;
  const frame = { notes: [], moment: "", address: null, palette: LIGHT, words: DRAWING_WORDS };
  const svg = svgOf(
    { picture: drawn, places, lit: null },
    { ...titlesOf(question, DRAWING_WORDS), ...frame },
  );
  expect(svg).toContain('class="line pruned"');
  expect(svg).toContain(`<title>${WHY}</title>`);
  expect(svg).toContain("a way that no data can take");
  expect(dotOf(drawn, null, []).match(/style=dotted/g)).toHaveLength(2);
  expect(mermaidOf(drawn, null, []).match(/-\.-x/g)).toHaveLength(2);
  expect(drawn.cards.map((card) => card.id)).toContain(datasetKey(node("a9")));
});
