import { expect, test } from "vitest";

import { leavesOf } from "../src/panels/RecordSources";

test("a record has values where no path goes on", () => {
  const paths = [["a"], ["a", "_element"], ["a", "_element", "b"], ["a.b"], ["c"]];
  expect(leavesOf(paths)).toEqual([["a", "_element", "b"], ["a.b"], ["c"]]);
});
