import { expect, test } from "vitest";

import { cut, lookOf } from "../src/canvas/boxes";
import { areaOf, cardAt, isIn } from "../src/canvas/in_view";
import { covers } from "../src/canvas/painter";
import type { Card } from "../src/picture/model";

const WINDOW = { width: 1200, height: 800 };
const CARD: Card = {
  id: "a",
  kind: "dataset",
  namespace: "lake",
  name: "people",
  title: "people",
  rows: [],
  gaps: [],
  gapCount: 0,
  size: 1,
  start: false,
};

test("cards in the window are in view at every place and zoom, and those far from it are not", () => {
  for (const zoom of [0.3, 0.7, 2]) {
    for (const x of [-5000, -1, 0, 333, 5000]) {
      const view = { x, y: -x, zoom, ...WINDOW };
      const [left, top] = [-x / zoom, x / zoom];
      const seen = { x: left + 1, y: top + 1, width: 10, height: 10 };
      const right = { ...seen, x: left + WINDOW.width / zoom - 1 };
      expect([isIn(seen, areaOf(view)), isIn(right, areaOf(view))]).toEqual([true, true]);
      expect(isIn({ ...seen, x: left + WINDOW.width / zoom + 400 }, areaOf(view))).toBe(false);
    }
  }
});

test("a small move brings no other tiles into view", () => {
  const view = { x: 100, y: 100, zoom: 0.5, ...WINDOW };
  expect(areaOf({ ...view, x: 99 })).toEqual(areaOf(view));
});

test("a painted card is found at its place", () => {
  const places = new Map([["a", { x: 10, y: 20, width: 30, height: 5 }]]);
  expect(cardAt([CARD], places, { x: 39, y: 24 })).toBe(CARD);
  expect(cardAt([CARD], places, { x: 41, y: 24 })).toBeNull();
});

test("a painted card shows its kind, gaps, differences, findings and the form of its data", () => {
  expect(lookOf(CARD)).toEqual({ ground: "--surface", text: "--text", border: "--border", dashed: false });
  expect(lookOf({ ...CARD, gapCount: 1 })).toMatchObject({
    ground: "--surface",
    border: "--warning",
    dashed: true,
  });
  expect(lookOf({ ...CARD, gapCount: 1, mark: "gone" })).toMatchObject({
    border: "--mark-gone",
    dashed: true,
  });
  expect(lookOf({ ...CARD, form: "IDENTITY" }).ground).toBe("--form-identity");
  expect(lookOf({ ...CARD, kind: "job" }).ground).toBe("--job");
});

test("what was drawn covers a view until it leaves its margin or is zoomed out of it", () => {
  const drawn = { x: 0, y: 0, zoom: 1, ...WINDOW };
  expect(covers(drawn, 240, { ...drawn, x: -239 })).toBe(true);
  expect(covers(drawn, 240, { ...drawn, x: -241 })).toBe(false);
  expect(covers(drawn, 240, { ...drawn, zoom: 0.5 })).toBe(false);
  expect(covers(drawn, 0, { ...drawn, zoom: 2 })).toBe(true);
});

test("a painted name that has no room is cut in its middle", () => {
  expect(cut("customers_daily", 20)).toBe("customers_daily");
  expect(cut("customers_daily", 9)).toBe("cust…aily");
});
