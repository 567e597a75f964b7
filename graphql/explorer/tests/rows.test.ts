import { expect, test } from "vitest";

import { nodeKey } from "../src/lineage/names";
import { type CardPath, rowsDownTo, rowsOf } from "../src/picture/rows";

const DATASET = { namespace: "file", name: "/in/tweets" };
const node = (...path: string[]) => ({ ...DATASET, path });
const path = (...steps: string[]): CardPath => ({ path: steps, onLineage: true });
const PATHS = [path("id"), path("entities", "user_mentions", "_element", "id_str"), path("entities", "urls")];
const usually = (_row: string, open: boolean) => open;
const names = (paths: readonly CardPath[], isOpen = usually) =>
  rowsOf(DATASET, paths, isOpen).map((row) => [row.depth, row.name]);

test("paths are rows of a tree, an array's elements beside the array", () => {
  expect(names(PATHS)).toEqual([
    [0, "id"],
    [0, "entities"],
    [1, "user_mentions[]"],
    [2, "id_str"],
    [1, "urls"],
  ]);
});

test("a folded row hides what is nested in it, and stands for it", () => {
  const rows = rowsOf(DATASET, PATHS, (row) => row !== nodeKey(node("entities")));
  expect(rows.map((row) => [row.depth, row.name])).toEqual([
    [0, "id"],
    [0, "entities"],
  ]);
  expect(rows[1]?.keys).toEqual([
    nodeKey(node("entities")),
    nodeKey(node("entities", "user_mentions", "_element", "id_str")),
    nodeKey(node("entities", "urls")),
  ]);
});

test("an array and its elements are one row", () => {
  const [row, ...others] = rowsOf(
    DATASET,
    [
      { ...path("texts"), label: "texts", type: "array" },
      { ...path("texts", "_element"), label: "texts[]", type: "string" },
    ],
    usually,
  );
  expect(others).toEqual([]);
  expect(row).toMatchObject({ name: "texts[]", label: "texts[]", type: "array<string>", path: ["texts"] });
  expect(row?.keys).toContain(nodeKey(node("texts", "_element")));
  for (const each of [node("texts"), node("texts", "_element"), node("texts", "_element", "_element")]) {
    expect(rowsDownTo(each)).toEqual([row?.id]);
  }
});

test("the rows down to a path are found by their keys", () => {
  const keys = rowsDownTo(node("entities", "user_mentions", "_element", "id_str"));
  const shown = rowsOf(DATASET, PATHS, usually).map((row) => row.id);
  expect(keys).toHaveLength(3);
  expect(shown).toEqual(expect.arrayContaining(keys));
});

test("deep trees are folded where a card would have many rows", () => {
  const wide = [...Array(20).keys()].flatMap((at) => [path(`a${at}`, "x"), path(`a${at}`, "y")]);
  expect(rowsOf(DATASET, wide, usually).map((row) => row.name)).toEqual(
    [...Array(20).keys()].map((at) => `a${at}`),
  );
  expect(rowsOf(DATASET, wide.slice(0, 16), usually)).toHaveLength(24);
});
