import { expect, test } from "vitest";

import { editDistance, type Hit, hasAll, ranked } from "../src/find/rank";

function hit(kind: Hit["kind"], name: string, ...path: string[]): Hit {
  return { kind, namespace: "test", name, path, label: path.join(".") || name, matches: [] };
}

const names = (hits: readonly Hit[]) => hits.map(({ name, path }) => [name, ...path].join("."));

test("whole names come before beginnings, words, and what is within them", () => {
  const hits = [
    hit("PATH", "a", "gmails"),
    hit("DATASET", "warehouse/home_mail"),
    hit("PATH", "a", "person", "mail"),
    hit("JOB", "mailing"),
    hit("PATH", "b", "mail"),
  ];
  expect(names(ranked(hits, "mail"))).toEqual([
    "b.mail",
    "a.person.mail",
    "mailing",
    "warehouse/home_mail",
    "a.gmails",
  ]);
});

test("each hit is listed once, and similar names come last", () => {
  const similar = { ...hit("DATASET", "mall"), similar: "mall" };
  const hits = [similar, hit("DATASET", "mail"), hit("DATASET", "mail")];
  expect(names(ranked(hits, "mail"))).toEqual(["mail", "mall"]);
});

test("words may be anywhere in the names, in any order", () => {
  const found = hit("PATH", "customers", "person", "mail");
  expect(hasAll(found, ["mail", "custom"])).toBe(true);
  expect(hasAll(found, ["mail", "orders"])).toBe(false);
});

test("the distance of texts is the number of mistakes", () => {
  expect(["", "mail", "mial", "male", "mailing"].map((text) => editDistance("mail", text))).toEqual([
    4, 0, 2, 2, 3,
  ]);
});
