// Laws of random answers: no gap of an answer is lost on its way into a picture or a file.
import { expect, test } from "vitest";

import { dotOf } from "../src/drawing/dot";
import { titlesOf } from "../src/drawing/frame";
import { mermaidOf } from "../src/drawing/mermaid";
import { LIGHT } from "../src/drawing/palette";
import { svgOf } from "../src/drawing/svg";
import { grown } from "../src/lineage/expansions";
import { type Lineage, lineageOf } from "../src/lineage/graph";
import type { Graph } from "../src/lineage/model";
import type { Level } from "../src/lineage/names";
import {
  completenessOf,
  completenessOfStore,
  completenessText,
  isComplete,
} from "../src/picture/completeness";
import { flowPicture } from "../src/picture/flow_picture";
import { folded } from "../src/picture/groups";
import { lineagePicture } from "../src/picture/lineage_picture";
import { sizeOf } from "../src/picture/measures";
import type { Picture } from "../src/picture/model";
import { overviewPicture } from "../src/picture/overview_picture";
import { DRAWING_WORDS } from "../src/words/en/drawing";
import { en } from "../src/words/en/page";

const LEVELS: readonly Level[] = ["PATH", "COLUMN", "DATASET", "JOB"];
const NONE: ReadonlySet<string> = new Set();

/** Numbers from 0 up to below the given one, the same for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

/** An answer over a few datasets and jobs; its gaps may be at those of edges, and at others. */
function answer(seed: number): Graph {
  const next = random(seed);
  const dataset = () => ({ namespace: `n${next(2)}`, name: `d${next(6)}` });
  const job = () => ({ namespace: "n", name: `j${next(4)}` });
  const path = () => ["a", "b", "c"].slice(0, next(4));
  const nodes = Array.from({ length: 1 + next(6) }, () => ({
    ...dataset(),
    path: path(),
    label: "",
    distance: next(3),
    reach: "DIRECT" as const,
  }));
  const how = {
    type: "DIRECT" as const,
    subtype: "IDENTITY",
    masking: false,
    manipulation: [],
    access: null,
  };
  return {
    complete: false,
    cursor: null,
    incomplete: Array.from({ length: next(5) }, (_, at) => ({
      ...dataset(),
      path: path(),
      reason: ["UDF", "NO_LINEAGE_FACET", "RDD"][next(3)] as string,
      detail: `detail${at}.`,
      job: next(3) > 0 ? job() : null,
    })),
    nodes,
    edges: Array.from({ length: next(6) }, () => ({
      source: next(nodes.length),
      target: next(nodes.length),
      job: job(),
      transformations: [{ ...how, functions: [] }],
    })),
  };
}

function pictureAt(level: Level, lineage: Lineage): Picture {
  const rows = { toggled: NONE, schemas: new Map(), whole: NONE, rows: new Map(), expanded: NONE };
  return lineagePicture(lineage, { ...rows, level, way: "BOTH", start: null });
}

function drawn(picture: Picture, notes: readonly string[]): string {
  const places = new Map(picture.cards.map((card, at) => [card.id, { x: 300 * at, y: 0, ...sizeOf(card) }]));
  const question = { node: null, level: "PATH", way: "BOTH", depth: 1, asOf: null } as const;
  const around = { notes, moment: "", address: null, palette: LIGHT, words: DRAWING_WORDS };
  return svgOf({ picture, places, lit: null }, { ...titlesOf(question, DRAWING_WORDS), ...around });
}

const texts = (gaps: readonly unknown[]) => [...new Set(gaps.map((gap) => JSON.stringify(gap)))].sort();
const onCards = ({ cards }: Picture) => texts(cards.flatMap((card) => card.gaps));

test.each(LEVELS)("each gap of an answer is at a card of its picture, and no other is, at %s", (level) => {
  for (let seed = 0; seed < 500; seed++) {
    const lineage = lineageOf(answer(seed), seed % 2 ? 1 : -1);
    const picture = pictureAt(level, lineage);
    const groups = folded(picture, { by: "namespace", open: NONE, owners: new Map() });
    for (const each of [picture, groups]) {
      expect(onCards(each), `seed ${seed}`).toEqual(texts(lineage.gaps));
      for (const card of each.cards) {
        expect(card.gapCount, `seed ${seed}`).toBe(card.gaps.length);
      }
      const ids = new Set(each.cards.map((card) => card.id));
      expect(ids.size, `seed ${seed}`).toBe(each.cards.length);
      for (const { source, target } of each.lines) {
        expect(ids.has(source.card) && ids.has(target.card), `seed ${seed}`).toBe(true);
      }
    }
  }
});

test.each(LEVELS)("files have the gaps of the picture, and say how many they are, at %s", (level) => {
  for (let seed = 0; seed < 100; seed++) {
    const lineage = lineageOf(answer(seed), 1);
    const picture = pictureAt(level, lineage);
    const strip = completenessText(completenessOf(lineage), en.completeness);
    const svg = drawn(picture, [strip]);
    for (const { detail } of lineage.gaps) {
      expect(svg, `seed ${seed}`).toContain(detail);
    }
    const expected = lineage.gaps.length > 0 ? `${lineage.gaps.length} not known.` : "Complete: ";
    const marked = picture.cards.some((card) => card.gapCount > 0) ? / \?"/ : /lineage|LR/;
    for (const text of [svg, mermaidOf(picture, null, [strip]), dotOf(picture, null, [strip])]) {
      expect(text.replaceAll("#58;", ":"), `seed ${seed}`).toContain(expected);
    }
    expect(mermaidOf(picture, null, []), `seed ${seed}`).toMatch(marked);
    expect(dotOf(picture, null, []), `seed ${seed}`).toMatch(marked);
  }
});

const gapsOn = ({ cards }: Picture) => cards.reduce((sum, { gapCount }) => sum + gapCount, 0);

test("each gap of a whole store is counted once in its picture, grouped or not, and in the strip", () => {
  for (let seed = 0; seed < 300; seed++) {
    const next = random(seed);
    const gaps = Array.from({ length: 1 + next(6) }, () => next(3));
    const gapCount = gaps.reduce((sum, each) => sum + each, 0);
    const named = gaps.map((each, at) => ({
      namespace: `n${at % 2}`,
      name: `d${at}`,
      owners: [],
      gaps: each,
    }));
    const flow = { datasetCount: gaps.length, gapCount, datasets: named, jobs: [], flows: [] };
    const groups = gaps.map((each, at) => {
      return { namespace: `n${at}`, place: null, prefix: null, dataset: null, size: 2, gaps: each };
    });
    const counts = { datasetCount: 2 * gaps.length, groupCount: gaps.length, gapCount };
    const overview = { ...counts, groups, connections: [], connectionsCut: false };
    const plain = flowPicture(flow);
    const inGroups = folded(plain, { by: "namespace", open: NONE, owners: new Map() });
    for (const picture of [plain, inGroups, overviewPicture(overview, [])]) {
      expect(gapsOn(picture), `seed ${seed}`).toBe(gapCount);
    }
    for (const known of [flow, overview].map(completenessOfStore)) {
      expect(known.unknown).toBe(gapCount);
      expect(isComplete(known)).toBe(gapCount === 0);
    }
  }
});

test("a whole store of which a limit leaves something out is not complete", () => {
  const flow = { datasetCount: 0, gapCount: 0, datasets: [], jobs: [], flows: [] };
  const overview = {
    ...{ datasetCount: 0, groupCount: 0, gapCount: 0 },
    ...{ groups: [], connections: [], connectionsCut: false },
  };
  for (const all of [flow, overview]) {
    expect(isComplete(completenessOfStore(all))).toBe(true);
  }
  const cut = [
    { ...flow, datasetCount: 1 },
    { ...overview, groupCount: 1 },
    { ...overview, connectionsCut: true },
  ];
  expect(cut.map(completenessOfStore).filter(isComplete)).toEqual([]);
});

test("a job without edges stands before the dataset at which its gap is", () => {
  const gap = { namespace: "n", name: "report", path: [], reason: "NO_LINEAGE_FACET", detail: "" };
  const lineage = lineageOf(
    {
      complete: false,
      cursor: null,
      incomplete: [{ ...gap, job: { namespace: "n", name: "export" } }],
      nodes: [{ namespace: "n", name: "raw", path: [], label: "raw", distance: 0, reach: "DIRECT" }],
      edges: [],
    },
    1,
  );
  const { cards, lines } = pictureAt("DATASET", lineage);
  const named = (id: string) => cards.find((card) => card.id === id)?.title;
  expect(cards.map(({ title, ghost }) => [title, ghost ?? false])).toEqual([
    ["raw", false],
    ["report", true],
    ["export", true],
  ]);
  expect(lines.map(({ source, target }) => [named(source.card), named(target.card)])).toEqual([
    ["export", "report"],
  ]);
  expect(pictureAt("JOB", lineage).cards.map(({ title, gapCount }) => [title, gapCount])).toEqual([
    ["export", 1],
  ]);
});

test("going a step further keeps gaps to which no edge leads", () => {
  const more = { ...lineageOf({ ...answer(0), edges: [], nodes: [], incomplete: [] }, 1) };
  const gap = { namespace: "n", name: "elsewhere", path: [], reason: "RDD", detail: "", job: null };
  const from = { namespace: "n", name: "d", way: "FORWARD", depth: 1 } as const;
  expect(grown(more, { ...more, gaps: [gap] }, from).gaps).toEqual([gap]);
});

test("a strip is complete only where nothing is missing", () => {
  const whole = { unknown: 0, beyond: 0, cut: false };
  const strip = (known: object) => completenessText({ ...whole, ...known }, en.completeness);
  expect(strip({})).toContain("Complete");
  expect(strip({ unknown: 2, beyond: 1 })).toBe("2 not known. It goes on beyond 1 dataset.");
  for (const known of [{ unknown: 1 }, { beyond: 3 }, { cut: true }]) {
    expect(strip(known)).not.toContain("Complete");
  }
});
