// The table of the matrix: only the rows and columns that are seen are made, so that thousands of them stay fluent.
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";

import { useAddress } from "../../app/address";
import { shortName } from "../../lineage/names";
import { useWords } from "../../words/words";
import { type Cell, type Column, isEmpty, type Order, type Row } from "./cells";
import { indexes, sliceOf } from "./slice";

/** Sizes in pixels; the style sheet has the same. */
const ROW = 34;
const HEAD = 52;
const COLUMN = 132;

interface Props {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly order: Order;
  /** Whether all cells are there: until then, any empty one may be filled. */
  readonly arrived: boolean;
  readonly onSort: (order: Order) => void;
  readonly onOpen: (row: Row, column: Column) => void;
}

/** A place in the table: row -1 is the head, column -1 the names of the rows. */
type Place = readonly [row: number, column: number];

export function MatrixTable({ rows, columns, order, arrived, onSort, onOpen }: Props) {
  const { privacy } = useWords();
  const [address, go] = useAddress();
  const frame = useRef<HTMLDivElement>(null);
  const seen = useSeen(frame);
  const [place, setPlace] = useState<Place>([0, -1]);
  const wanted = useRef(false);
  const shownRows = useMemo(() => sliceOf(seen.top, seen.height, ROW, rows.length), [seen, rows]);
  const shownColumns = useMemo(() => sliceOf(seen.left, seen.width, COLUMN, columns.length), [seen, columns]);
  const at: Place = [Math.min(place[0], rows.length - 1), Math.min(place[1], columns.length - 1)];

  useEffect(() => {
    const cell = wanted.current && frame.current?.querySelector<HTMLElement>(`[data-at="${at.join()}"]`);
    if (cell) {
      wanted.current = false;
      cell.focus({ preventScroll: true });
    }
  });

  const move = (next: Place) => {
    wanted.current = true;
    setPlace(next);
    reveal(frame.current, next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(event, at, rows.length, columns.length, Math.floor(seen.height / ROW) - 2);
    if (next) {
      event.preventDefault();
      move(next);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act(at);
    }
  };
  const act = ([row, column]: Place) => {
    const [one, other] = [rows[row], columns[column]];
    if (row < 0) {
      const key = other?.key ?? null;
      onSort({ column: key, descending: order.column === key && !order.descending });
    } else if (one && other && one.cells.has(other.key)) {
      onOpen(one, other);
    } else if (one && column < 0 && one.name !== null) {
      go({
        view: "picture",
        dataset: { namespace: one.namespace, name: one.name },
        path: [],
        exposure: true,
      });
    }
  };
  const cellProps = (row: number, column: number) => ({
    "data-at": `${row},${column}`,
    "aria-colindex": column + 2,
    tabIndex: at[0] === row && at[1] === column ? 0 : -1,
    onClick: () => {
      setPlace([row, column]);
      act([row, column]);
    },
  });
  const sortOf = (key: string | null) =>
    order.column !== key ? undefined : order.descending ? "descending" : "ascending";
  const before = shownColumns.from * COLUMN;
  const after = (columns.length - shownColumns.to) * COLUMN;
  const visible = indexes(shownColumns);
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
          <tr aria-rowindex={1} style={{ height: HEAD }}>
            <th scope="col" aria-sort={sortOf(null)} {...cellProps(-1, -1)}>
              {privacy.matrix.row[address.rows]}
              <Arrow sort={sortOf(null)} />
            </th>
            {before > 0 && <td aria-hidden="true" style={{ minWidth: before }} />}
            {visible.map((index) => {
              const column = columns[index] as Column;
              return (
                <th
                  key={column.key}
                  scope="col"
                  aria-sort={sortOf(column.key)}
                  title={column.title ?? privacy.matrix.notStated}
                  {...cellProps(-1, index)}
                >
                  {column.attribute && <span className="of">{shortName(column.attribute.name)}</span>}
                  <span className="key">
                    {column.title ?? privacy.matrix.notStated}
                    <Arrow sort={sortOf(column.key)} />
                  </span>
                </th>
              );
            })}
            {after > 0 && <td aria-hidden="true" style={{ minWidth: after }} />}
          </tr>
        </thead>
        <tbody>
          {shownRows.from > 0 && (
            <tr style={{ height: shownRows.from * ROW }}>
              <td />
            </tr>
          )}
          {indexes(shownRows).map((index) => {
            const row = rows[index] as Row;
            const open = address.holder?.name === row.name && address.holder?.namespace === row.namespace;
            return (
              <tr
                key={row.key}
                aria-rowindex={index + 2}
                style={{ height: ROW }}
                className={open ? "open" : ""}
              >
                <th
                  scope="row"
                  title={`${row.namespace} ${row.name ?? row.title ?? ""}`.trim()}
                  {...cellProps(index, -1)}
                >
                  {row.title ?? privacy.matrix.notStated}
                  {row.name !== null && <span className="of">{row.namespace}</span>}
                </th>
                {before > 0 && <td aria-hidden="true" />}
                {visible.map((each) => {
                  const column = columns[each] as Column;
                  return (
                    <CellView
                      key={column.key}
                      cell={row.cells.get(column.key)}
                      complete={arrived && isEmpty(row, column)}
                      place={cellProps(index, each)}
                    />
                  );
                })}
                {after > 0 && <td aria-hidden="true" />}
              </tr>
            );
          })}
          {shownRows.to < rows.length && (
            <tr style={{ height: (rows.length - shownRows.to) * ROW }}>
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

interface CellProps {
  readonly cell: Cell | undefined;
  readonly complete: boolean;
  readonly place: Record<string, unknown>;
}

function CellView({ cell, complete, place }: CellProps) {
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

/** Where a key leads from a place; null for keys that do not move. */
function moved(
  { key, ctrlKey }: KeyboardEvent,
  [row, column]: Place,
  rows: number,
  columns: number,
  page: number,
): Place | null {
  const to = (r: number, c: number): Place => [
    Math.max(-1, Math.min(rows - 1, r)),
    Math.max(-1, Math.min(columns - 1, c)),
  ];
  const moves: Record<string, Place> = {
    ArrowUp: to(row - 1, column),
    ArrowDown: to(row + 1, column),
    ArrowLeft: to(row, column - 1),
    ArrowRight: to(row, column + 1),
    PageUp: to(row - page, column),
    PageDown: to(row + page, column),
    Home: ctrlKey ? to(0, -1) : to(row, -1),
    End: ctrlKey ? to(rows - 1, columns - 1) : to(row, columns - 1),
  };
  return moves[key] ?? null;
}

/** Scrolls no more than it takes to show the place beside head and names, which stay. */
function reveal(frame: HTMLDivElement | null, [row, column]: Place): void {
  if (!frame) {
    return;
  }
  const names = frame.querySelector("th")?.offsetWidth ?? 0;
  const nearest = (scrolled: number, seen: number, begin: number, size: number) =>
    begin < scrolled ? begin : Math.max(scrolled, begin + size - seen);
  if (row >= 0) {
    frame.scrollTop = nearest(frame.scrollTop, frame.clientHeight - HEAD, row * ROW, ROW);
  }
  if (column >= 0) {
    frame.scrollLeft = nearest(frame.scrollLeft, frame.clientWidth - names, column * COLUMN, COLUMN);
  }
}

/** How far the frame is scrolled, and how much it shows. */
function useSeen(frame: { readonly current: HTMLDivElement | null }) {
  const [seen, setSeen] = useState({ top: 0, left: 0, width: 1280, height: 800 });
  useEffect(() => {
    const element = frame.current;
    if (!element) {
      return;
    }
    const look = () =>
      setSeen({
        top: element.scrollTop,
        left: element.scrollLeft,
        width: element.clientWidth,
        height: element.clientHeight,
      });
    look();
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [frame]);
  return seen;
}
