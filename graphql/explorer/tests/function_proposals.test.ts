import { expect, test } from "vitest";

import { VERDICTS, wished } from "../src/runs/FunctionProposals";
import { FUNCTIONS } from "../src/words/de/functions";

test("a verdict is sent for one proposal, with its reason", () => {
  expect(wished("refused", "0f", "wrong")).toEqual({ refused: ["0f"], reason: "wrong", dryRun: false });
});

test("what is decided can be taken back, and nothing else be done with it", () => {
  expect(VERDICTS.PROPOSED).toEqual(["accepted", "refused"]);
  expect([VERDICTS.ACCEPTED, VERDICTS.REFUSED]).toEqual([["reopened"], ["reopened"]]);
});

test("what was checked is in German", () => {
  const translated = [
    "code: it may be made of more: mail",
    "code: not read: it opens a file (open)",
    "runs: 12, and 3 pairs of paths changed together",
  ].map(FUNCTIONS.check);
  expect(translated).toEqual([
    "Code: Es kann auch hieraus bestehen: mail",
    "Code: war nicht lesbar",
    "Probeläufe: 12, 3 Paare von Pfaden änderten sich zusammen",
  ]);
});
