import { expect, test } from "vitest";
import { withPrivacy } from "../src/colouring/forms_in";
import { nodeKey } from "../src/lineage/names";
import { arranged, isEmpty, type Matrix, matrixOf } from "../src/matrix/cells";
import { indexes, sliceOf } from "../src/matrix/slice";
import type { Card, Row } from "../src/picture/model";
import { FORMS, type Form, stronger } from "../src/privacy/forms";
import { pagesOf } from "../src/privacy/pages";
import { fileName } from "../src/privacy/report/download";

type MatrixPage = Parameters<typeof matrixOf>[0][number];

function page(...cells: [dataset: string, category: string, form: Form][]): MatrixPage {
  const edges = cells.map(([name, category, form]) => ({
    node: {
      namespace: "n",
      name,
      category,
      attribute: null,
      form,
      declared: false,
      columnComplete: category !== "user.name",
    },
  }));
  return { edges } as unknown as MatrixPage;
}

test("of two forms the stronger counts", () => {
  expect(stronger(undefined, "MASKED")).toBe("MASKED");
  expect(FORMS.map((form) => stronger(form, "AGGREGATED"))).toEqual([
    ...FORMS.slice(0, 4),
    ...FORMS.slice(4).map(() => "AGGREGATED"),
  ]);
});

test("cells of all pages make rows and sorted columns", () => {
  const matrix = matrixOf([
    page(["a", "user.name", "MASKED"]),
    page(["a", "user.contact", "IDENTITY"], ["b", "user.name", "IDENTITY"]),
  ]);
  expect(matrix.columns.map(({ title }) => title)).toEqual(["user.contact", "user.name"]);
  expect(matrix.rows.map((row) => matrix.columns.map((column) => isEmpty(row, column)))).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(matrix.rows.map(({ title, strongest }) => [title, strongest])).toEqual([
    ["a", "IDENTITY"],
    ["b", "IDENTITY"],
  ]);
});

test("an empty cell is in doubt in the rows that a function's result reaches, and in no others", () => {
  const cells = page(["a", "user.name", "IDENTITY"], ["b", "k", "IDENTITY"], ["c", "k", "IDENTITY"]);
  const columns = [{ category: "user.name", attribute: null, subject: null }];
  const doubts = [{ columns, rows: [{ namespace: "n", name: "b", recipient: null }] }];
  const known = matrixOf([{ ...cells, doubts }]);
  const unknown = matrixOf([{ ...cells, doubts: [{ columns, rows: null }] }]);
  const inDoubt = ({ rows, columns }: Matrix) =>
    rows.map((row) => columns.map((column) => !row.cells.has(column.key) && !isEmpty(row, column)));
  expect(known.columns.map(({ key }) => key)).toEqual(["k", "user.name"]);
  expect(inDoubt(known)).toEqual([
    [false, false],
    [false, true],
    [false, false],
  ]);
  expect(inDoubt(unknown)).toEqual([
    [false, false],
    [false, true],
    [false, true],
  ]);
});

test("rows are sorted by name or by strength, and filtered by their names", () => {
  const { rows } = matrixOf([
    page(["c", "k", "MASKED"], ["a", "k", "IDENTITY"], ["b", "k", "MASKED"], ["d", "l", "IDENTITY"]),
  ]);
  const titles = (text: string, column: string | null, descending = false) =>
    arranged(rows, text, { column, descending })
      .map(({ title }) => title)
      .join("");
  expect(titles("", null)).toBe("abcd");
  expect(titles("", null, true)).toBe("dcba");
  expect(titles("", "k")).toBe("abcd");
  expect(titles("", "k", true)).toBe("dbca");
  expect(titles("B", null)).toBe("b");
});

test("only what is seen is made, and a few besides", () => {
  expect(sliceOf(0, 100, 10, 1000)).toEqual({ from: 0, to: 16 });
  expect(sliceOf(5000, 100, 10, 1000)).toEqual({ from: 494, to: 516 });
  expect(sliceOf(9_900, 100, 10, 1000)).toEqual({ from: 984, to: 1000 });
  expect(indexes(sliceOf(9_900, 100, 10, 3))).toEqual([2]);
});

test("all pages are asked for, up to a limit", async () => {
  const ask = async (after: string | null) => {
    const number = Number(after ?? 0) + 1;
    return { number, hasNextPage: number < 5, endCursor: String(number) };
  };
  const numbers = async (most: number) =>
    (await pagesOf(ask, (found) => found, most)).map(({ number }) => number);
  expect(await numbers(9)).toEqual([1, 2, 3, 4, 5]);
  expect(await numbers(2)).toEqual([1, 2]);
});

function row(open: boolean, ...path: string[]): Row {
  const id = nodeKey({ namespace: "n", name: "d", path });
  return {
    id,
    path,
    name: path.at(-1) ?? "",
    label: path.join("."),
    depth: 0,
    nested: true,
    open,
    keys: [id],
    type: null,
    onLineage: true,
  };
}

test("a row has the strongest form at, in and around its path, and the findings that no row below shows", () => {
  const card: Card = {
    id: "n\u0000d",
    kind: "dataset",
    namespace: "n",
    name: "d",
    title: "d",
    rows: [row(true, "user"), row(false, "user", "mail"), row(false, "other")],
    gaps: [],
    gapCount: 0,
    size: 1,
    start: false,
  };
  const at = (...path: string[]) => ({ namespace: "n", name: "d", path });
  const held = [
    { node: at("user"), form: "AGGREGATED" as const },
    { node: at("user", "mail", "host"), form: "MASKED" as const },
  ];
  const picture = withPrivacy(
    { cards: [card], lines: [] },
    {
      held: new Map([[card.id, held]]),
      strongest: new Map([[card.id, "AGGREGATED"]]),
      residents: new Map(),
      findings: new Map([
        [
          card.id,
          [
            { id: "1", node: at("user", "mail", "host") },
            { id: "2", node: at("other") },
            { id: "3", node: at("other", "x") },
          ],
        ],
      ]),
    },
  );
  const [shown] = picture.cards;
  expect([shown?.form, shown?.findings]).toEqual(["AGGREGATED", { count: 3, only: null, place: at() }]);
  expect(shown?.rows.map(({ form, findings }) => [form, findings])).toEqual([
    ["AGGREGATED", undefined],
    ["AGGREGATED", { count: 1, only: "1", place: at("user", "mail") }],
    [undefined, { count: 2, only: null, place: at("other") }],
  ]);
});

test("a group has the strongest form and the findings of the datasets in it", () => {
  const group = { kind: "group", id: "group n", rows: [], members: ["a", "b"] } as unknown as Card;
  const place = { namespace: "n", name: "b", path: [] };
  const { cards } = withPrivacy(
    { cards: [group], lines: [] },
    {
      held: new Map(),
      strongest: new Map<string, Form>([
        ["a", "MASKED"],
        ["b", "IDENTITY"],
      ]),
      residents: new Map(),
      findings: new Map([["b", [{ id: "1", node: place }]]]),
    },
  );
  expect(cards.map(({ form, findings }) => [form, findings])).toEqual([
    ["IDENTITY", { count: 1, only: "1", place: null }],
  ]);
});

test("a report's file is named by its kind and moment", () => {
  const report = { kind: "EXPOSURE", asOf: "2026-01-02T03:04:05.678+00:00", suffix: "html" } as const;
  expect(fileName(report)).toBe("headwater-exposure-2026-01-02-03-04-05.html");
});
