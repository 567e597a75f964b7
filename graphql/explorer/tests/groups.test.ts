import { expect, test } from "vitest";

import { flowPicture } from "../src/picture/flow_picture";
import { folded, usualGrouping } from "../src/picture/groups";

const dataset = (namespace: string, name: string) => ({ namespace, name, gaps: 1, owners: [] });
const FLOW = flowPicture({
  datasetCount: 4,
  gapCount: 4,
  datasets: [dataset("raw", "a"), dataset("raw", "b"), dataset("mart", "c"), dataset("mart", "d")],
  jobs: [
    { namespace: "n", name: "within" },
    { namespace: "n", name: "across" },
  ],
  flows: [
    { dataset: 0, job: 0, use: "INPUT" },
    { dataset: 1, job: 0, use: "OUTPUT" },
    { dataset: 1, job: 1, use: "INPUT" },
    { dataset: 2, job: 1, use: "OUTPUT" },
  ],
});

const shown = (...open: string[]) =>
  folded(FLOW, { by: "namespace", open: new Set(open), owners: new Map() });

test("datasets of a namespace are one card that still connects and tells of gaps", () => {
  const { cards, lines } = shown();
  expect(cards.map(({ title, size, gapCount }) => [title, size, gapCount])).toEqual([
    ["raw", 2, 2],
    ["mart", 2, 2],
  ]);
  expect(lines.map(({ source, target }) => [source.card, target.card])).toEqual([
    [cards[0]?.id, cards[1]?.id],
  ]);
});

test("an open group shows its cards, connected with the groups that are folded", () => {
  const { cards, lines } = shown("raw");
  const names = new Map(cards.map((card) => [card.id, card.title]));
  expect([...names.values()].sort()).toEqual(["a", "across", "b", "mart", "within"]);
  const drawn = lines.map(({ source, target }) => `${names.get(source.card)} > ${names.get(target.card)}`);
  expect(drawn).toContain("across > mart");
});

test("a small picture is not folded by itself", () => {
  expect(usualGrouping(FLOW)).toBe("none");
});
