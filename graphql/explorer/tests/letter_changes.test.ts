import { expect, test } from "vitest";

import { changesBetween } from "../src/dead_letters/changes";
import { changesOf } from "../src/dead_letters/LetterEditor";

const EVENT = { job: { name: "a", "x/y": { "~": 1 } }, outputs: [{ name: "o" }], inputs: [] };

test("changes are at the deepest pointer, and name what is removed", () => {
  const after = { job: { name: "b", "x/y": {} }, outputs: [{ name: "p" }], inputs: [1], run: {} };
  expect(changesBetween(EVENT, after)).toEqual([
    { pointer: "/job/name", value: '"b"' },
    { pointer: "/job/x~1y/~0", value: null },
    { pointer: "/outputs/0/name", value: '"p"' },
    { pointer: "/inputs", value: "[1]" },
    { pointer: "/run", value: "{}" },
  ]);
});

test("what is no object is no event", () => {
  expect(changesOf(EVENT, "[")).toBeNull();
  expect(changesOf(EVENT, "[1]")).toBeNull();
  expect(changesOf(EVENT, JSON.stringify(EVENT))).toEqual([]);
});
