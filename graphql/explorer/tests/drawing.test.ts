import { expect, test } from "vitest";

import { dotOf } from "../src/drawing/dot";
import { fileName, momentOf, titlesOf } from "../src/drawing/frame";
import { escaped, fitted, fittedName } from "../src/drawing/markup";
import { mermaidOf } from "../src/drawing/mermaid";
import type { Drawing, Frame, Question } from "../src/drawing/model";
import { DARK, LIGHT, type Palette } from "../src/drawing/palette";
import { svgOf } from "../src/drawing/svg";
import { lineageOf } from "../src/lineage/graph";
import { datasetKey } from "../src/lineage/names";
import { lineagePicture } from "../src/picture/lineage_picture";
import { sizeOf } from "../src/picture/measures";
import { wayOf } from "../src/picture/way";
import { DRAWING_WORDS } from "../src/words/en/drawing";

const HOSTILE = `<script>alert("1")</script> & 'q' \u202e\u0000 [x] {y} |z| #1; \\ end`;
const JOB = { namespace: "n", name: "nightly" };

function node(name: string, ...path: string[]) {
  const text = path.join(".");
  return { namespace: "n", name, path, label: text, distance: 0, reach: "DIRECT" as const };
}

function edge(source: number, target: number, type: "DIRECT" | "INDIRECT") {
  const how = { type, subtype: "IDENTITY", masking: false, manipulation: [], access: null, functions: [] };
  return { source, target, job: JOB, transformations: [how] };
}

/** Two datasets, a nested path whose value is copied, one that only influences, a gap, and a name to be escaped. */
function drawing(lit: boolean): Drawing {
  const from = node("shop/customers", "person", "mail");
  const lineage = lineageOf(
    {
      complete: false,
      cursor: null,
      incomplete: [
        { reason: "UDF", namespace: "n", name: HOSTILE, path: [], detail: "a function", job: JOB },
      ],
      nodes: [from, node("shop/customers", "city"), node(HOSTILE, "to")],
      edges: [edge(0, 2, "DIRECT"), edge(1, 2, "INDIRECT")],
    },
    1,
  );
  const start = datasetKey({ namespace: "n", name: "shop/customers" });
  const picture = lineagePicture(lineage, {
    level: "PATH",
    way: "BOTH",
    start,
    toggled: new Set(),
    schemas: new Map(),
    whole: new Set(),
    rows: new Map(),
    expanded: new Set(),
  });
  const places = new Map(picture.cards.map((card, at) => [card.id, { x: 300 * at, y: 0, ...sizeOf(card) }]));
  if (!lit) {
    return { picture, places, lit: null };
  }
  const way = wayOf(lineage, from);
  const on = picture.lines.filter((line) => line.edges.some((each) => way.values.has(each.key)));
  return {
    picture,
    places,
    lit: {
      nodes: way.nodes,
      valueNodes: way.valueNodes,
      values: new Set(on.map((line) => line.id)),
      influences: new Set(),
    },
  };
}

const QUESTION: Question = {
  node: { namespace: "n", name: "shop/customers", path: ["orders", "_element", "id"] },
  level: "PATH",
  way: "BOTH",
  depth: 1,
  asOf: "2026-11-22T20:00:00.123+00:00",
};

function frame(palette: Palette): Frame {
  const address = "https://lineage.example/?namespace=n&name=shop%2Fcustomers";
  const moment = momentOf(QUESTION.asOf);
  const notes = ["Something is left out."];
  return { ...titlesOf(QUESTION, DRAWING_WORDS), notes, moment, address, palette, words: DRAWING_WORDS };
}

test("a picture as SVG", () => {
  expect(svgOf(drawing(false), frame(LIGHT))).toMatchSnapshot();
});

test("a picture with a lit way as SVG, on a dark ground", () => {
  const svg = svgOf(drawing(true), frame(DARK));
  expect(svg).toMatchSnapshot();
  expect(svg).toContain('class="line lit value"');
  expect(svg).toContain('class="line faint"');
});

test("no name is markup", () => {
  const svg = svgOf(drawing(false), frame(LIGHT));
  expect(svg).not.toContain("<script");
  expect(svg).toContain("&lt;script&gt;");
  expect(escaped("a\u0000\u202eb\ud800")).toBe("a\ufffd\ufffdb\ufffd");
});

test("a picture as Mermaid text", () => {
  expect(mermaidOf(drawing(true).picture, drawing(true).lit, ["Something is left out."])).toMatchSnapshot();
});

test("a picture as DOT text", () => {
  expect(dotOf(drawing(true).picture, drawing(true).lit, ["Something is left out."])).toMatchSnapshot();
});

test("texts are cut to their room, and wide signs count twice", () => {
  expect(fitted("customers", 90, 10)).toBe("customers");
  expect(fitted("customers", 80, 10)).toBe("custome…");
  expect(fitted("顧客住所", 80, 10)).toBe("顧客住所");
  expect(fitted("顧客住所", 70, 10)).toBe("顧客住…");
});

test("a long name is cut in its middle, and one that fits is whole", () => {
  expect(fittedName("customer_identifier_hash", 160, 10)).toBe("customer_…r_hash");
  expect(fittedName("customer_identifier", 190, 10)).toBe("customer_identifier");
  expect(fittedName("customer_identifier", 100, 10)).toBe("customer_…");
});

test("a file has a name that every disk can have", () => {
  expect(fileName(QUESTION, "svg")).toBe("lineage-customers-orders-id.svg");
  expect(fileName({ ...QUESTION, node: null }, "png")).toBe("lineage-all.png");
  expect(fileName({ ...QUESTION, node: { namespace: "n", name: "../..", path: [] } }, "svg")).toBe(
    "lineage-picture.svg",
  );
});
