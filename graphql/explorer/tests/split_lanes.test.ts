import { expect, test } from "vitest";

import { drawnOf, type Statement } from "../src/runs/split_lanes";
import { catalogueOf } from "../src/words/catalogue";
import { TEXTS } from "../src/words/generated";

const statement = (key: string, side: string, ...inputs: string[]): Statement => ({
  key,
  label: key,
  side,
  stage: 1,
  line: "job.py:1",
  why: [],
  inputs,
  columns: [],
  back: false,
});

const STATEMENTS = [
  statement("orders", "inside"),
  statement("large", "inside", "orders"),
  statement("by_country", "boundary", "large", "orders"),
  statement("countries", "anywhere"),
  statement("report", "outside", "by_country", "countries", "nowhere"),
];

test("each statement is in the lane of its side, below what it is made of", () => {
  const { boxes, lanes } = drawnOf(STATEMENTS);
  const at = (key: string) => boxes.find((box) => box.statement.key === key);
  expect(lanes.map(({ lane }) => lane)).toEqual(["inside", "boundary", "outside"]);
  expect(at("orders")?.x).toBe(at("large")?.x);
  expect(at("by_country")?.x).toBeGreaterThan(at("large")?.x ?? 0);
  expect(at("countries")?.x).toBe(at("report")?.x);
  expect(boxes.map(({ y }) => y)).toEqual([...boxes.map(({ y }) => y)].sort((one, other) => one - other));
});

test("there is a line for each input that is known", () => {
  expect(drawnOf(STATEMENTS).lines).toHaveLength(5);
  expect(drawnOf([]).boxes).toEqual([]);
});

test("long labels are cut", () => {
  const [box] = drawnOf([{ ...statement("long", "inside"), label: "x".repeat(80) }]).boxes;
  expect(box?.label).toMatch(/^x{20,30}…$/);
});

test("reasons of a split are in German", () => {
  const { placement } = catalogueOf("de");
  expect(placement("/data/orders holds personal data")).toBe("/data/orders enthält personenbezogene Daten");
  expect(Object.keys(TEXTS.de.split)).toEqual(Object.keys(TEXTS.en.split));
});
