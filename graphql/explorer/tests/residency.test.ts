import { expect, test } from "vitest";
import { withPrivacy } from "../src/colouring/forms_in";
import type { Card } from "../src/picture/model";
import { isAsked, ofWholeDatasets, type Resident, together } from "../src/privacy/residency/verdicts";

function resident(name: string, verdict: Resident["verdict"], more: Partial<Resident> = {}): Resident {
  const dataset = { namespace: "n", name };
  const nothing = { forms: [], countries: [], policies: [], outside: [], unknown: [] };
  return { dataset, category: "user", verdict, ...nothing, ...more } as Resident;
}

test("the worst verdict on a category is that of the dataset", () => {
  const [within, unknown] = [resident("a", "WITHIN"), resident("a", "NOT_KNOWN")];
  const outside = resident("a", "OUTSIDE", { countries: ["DE", "US"], outside: ["US"] });
  expect(together([])).toBeUndefined();
  expect(together([within])?.verdict).toBe("WITHIN");
  expect(together([within, unknown])?.verdict).toBe("NOT_KNOWN");
  expect(together([within, unknown, outside])).toEqual({ verdict: "OUTSIDE", countries: ["US", "DE"] });
});

test("nothing is asked where no policy and no country is stated", () => {
  expect(isAsked([resident("a", "NOT_KNOWN")])).toBe(false);
  expect(isAsked([resident("a", "NOT_KNOWN", { countries: ["DE"] })])).toBe(true);
  expect(isAsked([resident("a", "NOT_KNOWN", { policies: ["p"] })])).toBe(true);
});

test("of a cut answer, the last dataset is left out, because the rest of it may be worse", () => {
  const residents = [resident("a", "WITHIN"), resident("b", "WITHIN"), resident("b", "WITHIN")];
  expect(ofWholeDatasets(residents, false)).toHaveLength(3);
  expect(ofWholeDatasets(residents, true).map(({ dataset }) => dataset.name)).toEqual(["a"]);
});

test("a group has the worst verdict of the datasets in it", () => {
  const card = { id: "g", kind: "group", members: ["one", "other"], rows: [] } as unknown as Card;
  const residents = new Map([
    ["one", [resident("one", "WITHIN", { countries: ["DE"] })]],
    ["other", [resident("other", "NOT_KNOWN")]],
  ]);
  const none = { held: new Map(), strongest: new Map(), findings: new Map() };
  const shown = withPrivacy({ cards: [card], lines: [] }, { ...none, residents });
  expect(shown.cards[0]?.residency).toEqual({ verdict: "NOT_KNOWN", countries: ["DE"] });
});
