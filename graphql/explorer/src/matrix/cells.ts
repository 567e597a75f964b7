// The matrix of personal data as rows and columns, made of the cells that the server lists.
import { grouped } from "../lineage/grouped";
import { datasetKey, type PathRef, shortNames } from "../lineage/names";
import { FORMS, type Form, stronger } from "../privacy/forms";
import type { Answer } from "../server/client";
import type { Words } from "../words/words";

type Answered = Answer<"ExposureMatrix">["exposureMatrix"];

export interface Cell {
  readonly form: Form;
  readonly declared: boolean;
}

export interface Row {
  readonly key: string;
  /** Empty where rows are recipients. */
  readonly namespace: string;
  /** The dataset; null where rows are others. */
  readonly name: string | null;
  /** Null for data whose recipients are not stated. */
  readonly title: string | null;
  /** The cells that are not empty, by the keys of their columns. */
  readonly cells: ReadonlyMap<string, Cell>;
  /** The strongest form in any of its cells. */
  readonly strongest: Form;
}

export interface Column {
  readonly key: string;
  readonly category: string | null;
  readonly attribute: (PathRef & { readonly label: string }) | null;
  /** The attribute's label, or the key of a category or subject; null for data of which is not stated whose they are. */
  readonly title: string | null;
  /** The keys of rows in which an empty cell may not be empty, once all cells are there; null for all. */
  readonly doubtful: ReadonlySet<string> | null;
}

export interface Matrix {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
}

export function matrixOf(pages: readonly Answered[]): Matrix {
  const rows = new Map<string, Row & { cells: Map<string, Cell>; strongest: Form }>();
  const columns = new Map<string, Column>();
  const doubts = doubtsOf(pages[0]?.doubts ?? []);
  for (const { node } of pages.flatMap((page) => page.edges)) {
    const { form, declared } = node;
    const column = columnOf(node, doubts);
    columns.set(column.key, column);
    const named = rowOf(node);
    const { key } = named;
    const row = rows.get(key) ?? { ...named, cells: new Map(), strongest: form };
    row.cells.set(column.key, { form, declared });
    row.strongest = stronger(row.strongest, form);
    rows.set(key, row);
  }
  const sorted = [...columns.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  return { rows: distinguished([...rows.values()]), columns: sorted };
}

type Named = Answered["edges"][number]["node"];

function rowOf({
  namespace,
  name,
  recipient,
}: Pick<Named, "namespace" | "name" | "recipient">): Pick<Row, "key" | "namespace" | "name" | "title"> {
  if (namespace === null) {
    return { key: recipient ?? "", namespace: "", name: null, title: recipient };
  }
  return { key: datasetKey({ namespace, name: name ?? "" }), namespace, name, title: name ?? namespace };
}

/** The rows, each of a dataset called so that no other of its namespace is called alike. */
function distinguished(rows: readonly Row[]): Row[] {
  const names = grouped(rows, ({ namespace }) => namespace);
  const short = new Map(
    [...names].map(([key, alike]) => [key, shortNames(alike.flatMap(({ name }) => name ?? []))]),
  );
  return rows.map((row) =>
    row.name === null ? row : { ...row, title: short.get(row.namespace)?.get(row.name) ?? row.name },
  );
}

function columnOf(node: Named, doubts: ReadonlyMap<string, Column["doubtful"]>): Column {
  const { category, attribute, subject, columnComplete } = node;
  const key = columnKey(node);
  const doubtful = columnComplete ? NO_ROWS : (doubts.get(key) ?? null);
  return { key, category, attribute, title: attribute ? attribute.label : (category ?? subject), doubtful };
}

const NO_ROWS: ReadonlySet<string> = new Set();

function columnKey({
  category,
  attribute,
  subject,
}: Pick<Named, "category" | "attribute" | "subject">): string {
  return attribute
    ? JSON.stringify([attribute.namespace, attribute.name, attribute.path])
    : (category ?? subject ?? "");
}

/** The rows in doubt by the keys of columns. */
function doubtsOf(doubts: Answered["doubts"]): ReadonlyMap<string, Column["doubtful"]> {
  return new Map(
    doubts.flatMap(({ columns, rows }) => {
      const keys = rows && new Set(rows.map((row) => rowOf(row).key));
      return columns.map((column) => [columnKey(column), keys] as const);
    }),
  );
}

/** What a column is called in a language of the page. */
export function columnTitle({ category, attribute, title }: Column, { server, privacy }: Words): string {
  if (title === null) {
    return privacy.matrix.notStated;
  }
  return attribute ? title : category === null ? server.subject(title) : server.category(title);
}

/** Whether nothing of a column is in a row for certain, where its cell is empty. */
export function isEmpty(row: Row, { doubtful }: Column): boolean {
  return doubtful !== null && !doubtful.has(row.key);
}

/** By what rows are sorted: their names, or the forms in a column. */
export interface Order {
  readonly column: string | null;
  readonly descending: boolean;
}

/** The rows with the text in their names, in that order; where forms are the same, by name. */
export function arranged(rows: readonly Row[], text: string, { column, descending }: Order): Row[] {
  const wanted = text.trim().toLowerCase();
  const shown = rows.filter(({ namespace, name, title }) =>
    `${namespace} ${name ?? title ?? ""}`.toLowerCase().includes(wanted),
  );
  const sign = descending ? -1 : 1;
  const rank = (row: Row) => {
    const form = column === null ? undefined : row.cells.get(column)?.form;
    return form ? FORMS.indexOf(form) : FORMS.length;
  };
  return shown.sort((one, other) => {
    const byForm = rank(one) - rank(other);
    const byName = (one.title ?? "").localeCompare(other.title ?? "") || (one.key < other.key ? -1 : 1);
    return sign * (byForm || (column === null ? byName : sign * byName));
  });
}
