// The table of the matrix: only the rows and columns that are seen are made, so that thousands of them stay fluent.
import { useMemo } from "react";
import { shortName } from "../lineage/names";
import { useAddress } from "../page/address";
import { useWords } from "../words/words";
import { type Cell, type Column, columnTitle, isEmpty, type Order, type Row } from "./cells";
import { indexes, sliceOf } from "./slice";
import { type CellProps, COLUMN, HEAD, type Place, ROW, useGrid } from "./useGrid";

interface Props {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly order: Order;
  /** Whether all cells are there: until then, any empty one may be filled. */
  readonly arrived: boolean;
  readonly onSort: (order: Order) => void;
  readonly onOpen: (row: Row, column: Column) => void;
}

/** The columns that are seen, and the room in pixels of those before and after them. */
interface Shown {
  readonly columns: readonly { readonly index: number; readonly column: Column }[];
  readonly before: number;
  readonly after: number;
}

type PropsOf = (row: number, column: number) => CellProps;

export function MatrixTable({ rows, columns, order, arrived, onSort, onOpen }: Props) {
  const { privacy } = useWords();
  const [, go] = useAddress();
  const act = ([row, column]: Place) => {
    const [one, other] = [rows[row], columns[column]];
    if (row < 0) {
      const key = other?.key ?? null;
      onSort({ column: key, descending: order.column === key && !order.descending });
    } else if (one && other && one.cells.has(other.key)) {
      onOpen(one, other);
    } else if (one && column < 0 && one.name !== null) {
      const dataset = { namespace: one.namespace, name: one.name };
      go({ view: "picture", dataset, path: [], exposure: true });
    }
  };
  const { frame, seen, onKeyDown, cellProps } = useGrid(rows.length, columns.length, act);
  const shownRows = useMemo(() => sliceOf(seen.top, seen.height, ROW, rows.length), [seen, rows]);
  const shown = useMemo(() => shownColumns(columns, seen.left, seen.width), [seen, columns]);
  return (
    <section ref={frame} className="matrix-frame" aria-label={privacy.matrix.title} onKeyDown={onKeyDown}>
      {/* biome-ignore lint/a11y/useSemanticElements: a table whose cells are reached by arrow keys */}
      <table
        className="matrix"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: likewise
        role="grid"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
      >
        <thead>
          <HeadRow shown={shown} order={order} cellProps={cellProps} />
        </thead>
        <tbody>
          <Unseen rows={shownRows.from} />
          {indexes(shownRows).map((index) => {
            const row = rows[index] as Row;
            return (
              <BodyRow
                key={row.key}
                row={row}
                index={index}
                shown={shown}
                arrived={arrived}
                cellProps={cellProps}
              />
            );
          })}
          <Unseen rows={rows.length - shownRows.to} />
        </tbody>
      </table>
    </section>
  );
}

function shownColumns(columns: readonly Column[], left: number, width: number): Shown {
  const shown = sliceOf(left, width, COLUMN, columns.length);
  return {
    columns: indexes(shown).map((index) => ({ index, column: columns[index] as Column })),
    before: shown.from * COLUMN,
    after: (columns.length - shown.to) * COLUMN,
  };
}

/** The room of rows that are not made. */
function Unseen({ rows }: { rows: number }) {
  return rows > 0 ? (
    <tr style={{ height: rows * ROW }}>
      <td />
    </tr>
  ) : null;
}

interface HeadProps {
  readonly shown: Shown;
  readonly order: Order;
  readonly cellProps: PropsOf;
}

function HeadRow({ shown, order, cellProps }: HeadProps) {
  const words = useWords();
  const { privacy } = words;
  const [address] = useAddress();
  const sortOf = (key: string | null) =>
    order.column !== key ? undefined : order.descending ? "descending" : "ascending";
  return (
    <tr aria-rowindex={1} style={{ height: HEAD }}>
      <th scope="col" aria-sort={sortOf(null)} {...cellProps(-1, -1)}>
        {privacy.matrix.row[address.rows]}
        <Arrow sort={sortOf(null)} />
      </th>
      {shown.before > 0 && <td aria-hidden="true" style={{ minWidth: shown.before }} />}
      {shown.columns.map(({ index, column }) => (
        <th
          key={column.key}
          scope="col"
          aria-sort={sortOf(column.key)}
          title={column.title ?? privacy.matrix.notStated}
          {...cellProps(-1, index)}
        >
          {column.attribute && <span className="of">{shortName(column.attribute.name)}</span>}
          <span className="key">
            {columnTitle(column, words)}
            <Arrow sort={sortOf(column.key)} />
          </span>
        </th>
      ))}
      {shown.after > 0 && <td aria-hidden="true" style={{ minWidth: shown.after }} />}
    </tr>
  );
}

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly shown: Shown;
  readonly arrived: boolean;
  readonly cellProps: PropsOf;
}

function BodyRow({ row, index, shown, arrived, cellProps }: RowProps) {
  const { privacy } = useWords();
  const [{ holder }] = useAddress();
  const open = holder?.name === row.name && holder?.namespace === row.namespace;
  return (
    <tr aria-rowindex={index + 2} style={{ height: ROW }} className={open ? "open" : ""}>
      <th
        scope="row"
        title={`${row.namespace} ${row.name ?? row.title ?? ""}`.trim()}
        {...cellProps(index, -1)}
      >
        {row.title ?? privacy.matrix.notStated}
        {row.name !== null && <span className="of">{row.namespace}</span>}
      </th>
      {shown.before > 0 && <td aria-hidden="true" />}
      {shown.columns.map(({ index: each, column }) => (
        <CellView
          key={column.key}
          cell={row.cells.get(column.key)}
          complete={arrived && isEmpty(row, column)}
          place={cellProps(index, each)}
        />
      ))}
      {shown.after > 0 && <td aria-hidden="true" />}
    </tr>
  );
}

interface CellViewProps {
  readonly cell: Cell | undefined;
  readonly complete: boolean;
  readonly place: CellProps;
}

function CellView({ cell, complete, place }: CellViewProps) {
  const { privacy } = useWords();
  if (!cell) {
    return (
      <td className="empty" {...place}>
        {!complete && <span aria-hidden="true">?</span>}
        <span className="unseen">{complete ? privacy.matrix.empty : privacy.matrix.unknown}</span>
      </td>
    );
  }
  return (
    <td className={`form ${cell.form}`} title={privacy.meaning[cell.form]} {...place}>
      {privacy.forms[cell.form]}
      {cell.declared && (
        <span title={privacy.declared}>
          <span aria-hidden="true"> ◆</span>
          <span className="unseen">, {privacy.declared}</span>
        </span>
      )}
    </td>
  );
}

function Arrow({ sort }: { sort: "ascending" | "descending" | undefined }) {
  return sort ? <span aria-hidden="true">{sort === "ascending" ? " ▲" : " ▼"}</span> : null;
}
