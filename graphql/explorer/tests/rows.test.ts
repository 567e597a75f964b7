import { expect, test } from "vitest";

import { nodeKey } from "../src/lineage/names";
import { keysDownTo, rowsOf } from "../src/picture/rows";

const node = (...path: string[]) => ({ namespace: "file", name: "/in/tweets", path });
const PATHS = [node("id"), node("entities", "user_mentions", "_element", "id_str"), node("entities", "urls")];
const names = (isOpen: (key: string) => boolean) =>
  rowsOf(PATHS, new Map(), isOpen).map((row) => [row.depth, row.name]);

test("paths are rows of a tree, an array's elements beside the array", () => {
  expect(names(() => true)).toEqual([
    [0, "id"],
    [0, "entities"],
    [1, "user_mentions[]"],
    [2, "id_str"],
    [1, "urls"],
  ]);
});

test("a folded row hides what is nested in it", () => {
  expect(names((key) => key !== nodeKey(node("entities")))).toEqual([
    [0, "id"],
    [0, "entities"],
  ]);
});

test("the rows down to a path are found by the keys of their nodes", () => {
  const keys = keysDownTo(node("entities", "user_mentions", "_element", "id_str"));
  const shown = rowsOf(PATHS, new Map(), () => true).map((row) => row.id);
  expect(keys).toHaveLength(3);
  expect(shown).toEqual(expect.arrayContaining(keys));
});
