import { expect, test } from "vitest";
import { withGroups } from "../src/colouring/forms_in";
import {
  type Overview,
  overviewPicture,
  placeKey,
  placeOf,
  readOpen,
  titlesOfOpen,
  withoutGroup,
  writeOpen,
} from "../src/picture/overview_picture";

const group = (namespace: string, place: string | null, size: number, more: object = {}) => ({
  namespace,
  place,
  prefix: size > 1 ? (place ?? "") : null,
  dataset: null,
  size,
  gaps: 0,
  ...more,
});
const OVERVIEW: Overview = {
  datasetCount: 8,
  gapCount: 2,
  groupCount: 4,
  connectionsCut: false,
  groups: [
    group("raw", "/land/crm/", 3, { gaps: 2 }),
    group("mart", null, 3, { prefix: "" }),
    group("raw", "/land/web/", 1, { dataset: "/land/web/clicks" }),
    group("closed", null, 1),
  ],
  connections: [{ source: 0, target: 1, jobs: 3, job: { namespace: "n", name: "clean" } }],
};
const OPEN = [{ namespace: "raw", prefix: "/land/" }];

test("groups are cards that open, and a group of one dataset is its card", () => {
  const { cards, lines } = overviewPicture(OVERVIEW, OPEN);
  expect(cards.map(({ kind, title, size, gapCount, opens }) => [kind, title, size, gapCount, opens])).toEqual(
    [
      ["group", "crm/", 3, 2, '["raw","/land/crm/"]'],
      ["group", "mart", 3, 0, "mart"],
      ["dataset", "clicks", 1, 0, undefined],
      ["group", "closed", 1, 0, undefined],
    ],
  );
  expect(lines.map(({ source, target, jobs }) => [source.card, target.card, jobs?.count])).toEqual([
    [cards[0]?.id, cards[1]?.id, 3],
  ]);
});

test("groups of like names are distinguished, such as what programs of a namespace collected", () => {
  const alike = [group("test", null, 3), group("driver://test", null, 2), group("s3://lake", null, 2)];
  const { cards } = overviewPicture({ ...OVERVIEW, groups: alike, connections: [] }, []);
  expect(cards.map(({ title }) => title)).toEqual(["test", "driver://test", "lake"]);
  expect(titlesOfOpen(["test", "driver://test", '["s3://lake","raw/"]'])).toEqual([
    "test",
    "driver://test",
    "lake raw/",
  ]);
});

test("a dataset is at the place at which the server shows it", () => {
  const at = (name: string, ...prefixes: string[]) =>
    placeOf(
      { namespace: "n", name },
      prefixes.map((prefix) => ({ namespace: "n", prefix })),
    );
  expect(at("/a/b/c.parquet")).toBe(placeKey("n", null));
  expect(at("/a/b/c.parquet", "")).toBe(placeKey("n", "/"));
  expect(at("/a/b/c.parquet", "/a/")).toBe(placeKey("n", "/a/b/"));
  expect(at("/a/b/c.parquet", "", "/a/b/")).toBe(placeKey("n", "/a/b/c.parquet"));
  expect(at("crm.people", "")).toBe(placeKey("n", "crm."));
  expect(at("crm.people", "crm.", "shop.")).toBe(placeKey("n", "crm.people"));
});

test("what is open is in the address, and what is in a group is closed with it", () => {
  const all = [
    { namespace: "s3://x", prefix: "" },
    { namespace: "s3://x", prefix: "a/" },
    { namespace: "s3://x", prefix: "a/b/" },
    { namespace: "[1]", prefix: "" },
  ].map(writeOpen);
  expect(all.map(readOpen).map(writeOpen)).toEqual(all);
  expect(withoutGroup(all, all[1] ?? "")).toEqual(["s3://x", "[1]"]);
  expect(withoutGroup(all, "s3://x")).toEqual(["[1]"]);
});

test("groups are marked by the personal data and the findings in them", () => {
  const finding = { id: "f", node: { namespace: "raw", name: "/land/crm/a", path: ["x"] } };
  const { cards } = withGroups(
    overviewPicture(OVERVIEW, OPEN),
    [{ namespace: "raw", place: "/land/crm/", datasets: 2, form: "PSEUDONYMISED" }],
    { residents: new Map(), findings: new Map([[placeOf(finding.node, OPEN), [finding, finding]]]) },
  );
  expect(cards.map(({ form, exposed, findings }) => [form, exposed, findings?.count])).toEqual([
    ["PSEUDONYMISED", 2, 2],
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ]);
});
