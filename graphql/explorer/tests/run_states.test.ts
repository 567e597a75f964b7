import { expect, test } from "vitest";

import { datasetKey } from "../src/lineage/names";
import { statesOf } from "../src/runs/useRunStates";
import { webAddress } from "../src/runs/web_address";

const JOB = { namespace: "n", name: "load" };
const ID = `job ${datasetKey(JOB)}`;

function run(runId: string, state: string, startedAt: string) {
  return { runId, job: JOB, state, startedAt, endedAt: null, error: null, missed: 0 };
}

test("news of an earlier run does not hide the state of a newer one", () => {
  const known = [run("second", "RUNNING", "2026-01-02T00:00:00Z")];
  const late = run("first", "FAIL", "2026-01-01T00:00:00Z");
  expect(statesOf(known, [late]).get(ID)).toBe("RUNNING");
  expect(statesOf(known, [run("second", "FAIL", "2026-01-02T00:00:00Z")]).get(ID)).toBe("FAIL");
  expect(statesOf([], [late]).get(ID)).toBe("FAIL");
});

test("only web pages are links", () => {
  const addresses = [
    "https://git.example/a#L7",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "git@host:a",
    "",
    null,
  ];
  expect(addresses.map(webAddress)).toEqual(["https://git.example/a#L7", null, null, null, null, null]);
});
