// The matrix as pages of a drawing: what the table shows, with the names of rows and columns on each page.

import { element, escaped, fitted } from "../drawing/markup";
import { LIGHT } from "../drawing/palette";
import { SANS } from "../drawing/svg_cards";
import type { Form } from "../privacy/forms";
import type { Cell, Column, Row } from "./cells";

/** What a page says beside the table. */
export interface MatrixFrame {
  readonly title: string;
  /** Sentences below the title: the moment, what is filtered, what is not known. */
  readonly notes: readonly string[];
  readonly rowTitle: string;
  readonly notStated: string;
  readonly columnTitle: (column: Column) => string;
  /** The text of a cell that is filled. */
  readonly cellText: (cell: Cell) => string;
  /** The text of a cell that is empty. */
  readonly emptyText: (row: Row, column: Column) => string;
  readonly pageOf: (page: number, pages: number) => string;
}

const [MARGIN, HEAD, NOTE, FOOT] = [24, 44, 16, 22];
const [NAMES, COLUMN, COLUMN_HEAD, ROW] = [250, 118, 40, 22];
/** A4 across, in pixels; a table that needs more has wider pages of the same shape. */
const NARROWEST = 1123;
const SHAPE = Math.SQRT2;
const MOST_COLUMNS = 24;
const CHARACTER = 6.2;

/** The grounds of forms on paper, as the page has them in its light colours. */
export const GROUNDS: Readonly<Record<Form, string>> = {
  IDENTITY: "#f9d0d0",
  TRANSFORMED: "#fbdcbc",
  DERIVED: "#f6d3e6",
  PSEUDONYMISED: "#e6d7f7",
  AGGREGATED: "#cfe3f8",
  MASKED: "#cdeed6",
  POSSIBLE: "#f7ecb0",
  INFLUENCED: "#e2e6ec",
};

/** Each page as SVG: columns that fit beside each other, and rows that fit below each other. */
export function drawnPages(rows: readonly Row[], columns: readonly Column[], frame: MatrixFrame): string[] {
  const wide = parts(columns, MOST_COLUMNS);
  const width = Math.max(NARROWEST, ...wide.map((part) => 2 * MARGIN + NAMES + part.length * COLUMN));
  const top = MARGIN + HEAD + frame.notes.length * NOTE + COLUMN_HEAD;
  const most = Math.floor((width / SHAPE - top - FOOT - MARGIN) / ROW);
  const pages = wide.flatMap((part) => parts(rows, most).map((some) => ({ rows: some, columns: part })));
  return pages.map((page, index) => {
    const fewest = pages.length === 1 ? page.rows.length : most;
    const height = Math.ceil(top + fewest * ROW + FOOT + MARGIN);
    const foot = frame.pageOf(index + 1, pages.length);
    return pageOf(page.rows, page.columns, frame, { width, height, top }, foot);
  });
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly top: number;
}

function pageOf(
  rows: readonly Row[],
  columns: readonly Column[],
  frame: MatrixFrame,
  { width, height, top }: Size,
  foot: string,
): string {
  const notes = frame.notes.map((note, at) =>
    text(MARGIN, MARGIN + HEAD - 12 + at * NOTE, note, width - 2 * MARGIN, 12, LIGHT.quiet),
  );
  const heads = columns.map((column, at) =>
    text(left(at) + 6, top - 10, frame.columnTitle(column), COLUMN - 10, 11, LIGHT.text, 700),
  );
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  return element(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", ...size, "font-family": SANS },
    element("title", {}, escaped(frame.title)),
    element("rect", { width, height, fill: LIGHT.surface }),
    text(MARGIN, MARGIN + 16, frame.title, width - 2 * MARGIN, 18, LIGHT.text, 700),
    ...notes,
    text(MARGIN, top - 10, frame.rowTitle, NAMES - 8, 11, LIGHT.text, 700),
    ...heads,
    ...rows.map((row, at) => rowOf(row, columns, frame, top + at * ROW)),
    text(MARGIN, height - MARGIN + 6, foot, width - 2 * MARGIN, 11, LIGHT.quiet),
  );
}

function rowOf(row: Row, columns: readonly Column[], frame: MatrixFrame, y: number): string {
  const name = [row.title ?? frame.notStated, row.name === null ? "" : row.namespace]
    .filter(Boolean)
    .join(" – ");
  const cells = columns.map((column, at) => {
    const cell = row.cells.get(column.key);
    const box = { x: left(at), y, width: COLUMN, height: ROW, stroke: LIGHT.border };
    const words = cell ? frame.cellText(cell) : frame.emptyText(row, column);
    return [
      element("rect", { ...box, fill: cell ? GROUNDS[cell.form] : LIGHT.surface }),
      text(left(at) + 6, y + 15, words, COLUMN - 10, 11, cell ? LIGHT.text : LIGHT.quiet),
    ].join("");
  });
  const box = { x: MARGIN, y, width: NAMES, height: ROW, stroke: LIGHT.border, fill: LIGHT.surface };
  return [element("rect", box), text(MARGIN + 6, y + 15, name, NAMES - 10, 11, LIGHT.text), ...cells].join(
    "",
  );
}

function left(column: number): number {
  return MARGIN + NAMES + column * COLUMN;
}

function text(
  x: number,
  y: number,
  words: string,
  room: number,
  size: number,
  fill: string,
  weight = 400,
): string {
  const style = { x, y, "font-size": size, fill, ...(weight !== 400 && { "font-weight": weight }) };
  return element("text", style, escaped(fitted(words, room, (CHARACTER * size) / 11)));
}

/** The items in parts of at most so many; at least one part. */
function parts<Item>(items: readonly Item[], most: number): readonly (readonly Item[])[] {
  const count = Math.max(1, Math.ceil(items.length / most));
  return Array.from({ length: count }, (_, at) => items.slice(at * most, (at + 1) * most));
}
