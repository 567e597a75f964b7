import { expect, test } from "vitest";

import { shortNames } from "../src/lineage/names";
import { flowPicture } from "../src/picture/flow_picture";
import { subtitleOf, titleOf } from "../src/picture/titles";

const dataset = (namespace: string, name: string) => ({ namespace, name, gaps: 0, owners: [] });
const picture = (names: readonly string[], jobs: readonly string[] = []) =>
  flowPicture({
    datasetCount: names.length,
    gapCount: 0,
    datasets: names.map((name) => dataset("lake", name)),
    jobs: jobs.map((name) => ({ namespace: "etl", name })),
    flows: [],
  });

test("names are as short as they can be and still be distinguished", () => {
  const names = ["core/customers", "raw/customers", "raw/orders", "customers", "a/raw/orders", "raw/orders/"];
  expect(Object.fromEntries(shortNames(names))).toEqual({
    "core/customers": "core/customers",
    "raw/customers": "raw/customers",
    "raw/orders": "raw/orders",
    customers: "customers",
    "a/raw/orders": "a/raw/orders",
    "raw/orders/": "raw/orders",
  });
  expect([...shortNames(["/data/crm/people", "/data/crm/orders"]).values()]).toEqual(["people", "orders"]);
  expect([...shortNames(["", "/"])]).toEqual([
    ["", ""],
    ["/", "/"],
  ]);
});

test("no two cards of a namespace are called alike", () => {
  const { cards } = picture(["core/orders", "raw/orders", "raw/people"]);
  expect(cards.map(({ title }) => title)).toEqual(["core/orders", "raw/orders", "people"]);
});

test("a job of Spark is called by what it does, below it the application", () => {
  const names = [
    "shop.execute_insert_into_hadoop_fs_relation_command.default.people",
    "daily.load",
    "export",
  ];
  const { cards } = picture([], names);
  expect(cards.map((card) => [titleOf(card), subtitleOf(card)])).toEqual([
    ["write default.people", "shop"],
    ["daily", "load"],
    ["export", "etl"],
  ]);
});
