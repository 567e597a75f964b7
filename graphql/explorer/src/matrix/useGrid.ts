// The grid of the matrix: which part of it is seen, and which of its cells the keyboard is at.
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";

/** Sizes in pixels; the style sheet has the same. */
export const ROW = 34;
export const HEAD = 52;
export const COLUMN = 132;

/** A place in the grid: row -1 is the head, column -1 the names of the rows. */
export type Place = readonly [row: number, column: number];

/** What a cell needs to be reached. */
export interface CellProps {
  readonly "data-at": string;
  readonly "aria-colindex": number;
  readonly tabIndex: number;
  readonly onClick: () => void;
}

interface Grid {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly seen: Seen;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly cellProps: (row: number, column: number) => CellProps;
}

/** A grid of so many rows and columns; `act` is called for a cell that is clicked, or chosen by a key. */
export function useGrid(rows: number, columns: number, act: (place: Place) => void): Grid {
  const frame = useRef<HTMLDivElement>(null);
  const seen = useSeen(frame);
  const [place, setPlace] = useState<Place>([0, -1]);
  const wanted = useRef(false);
  const at: Place = [Math.min(place[0], rows - 1), Math.min(place[1], columns - 1)];

  useEffect(() => {
    const cell = wanted.current && frame.current?.querySelector<HTMLElement>(`[data-at="${at.join()}"]`);
    if (cell) {
      wanted.current = false;
      cell.focus({ preventScroll: true });
    }
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(event, at, rows, columns, Math.floor(seen.height / ROW) - 2);
    if (next) {
      event.preventDefault();
      wanted.current = true;
      setPlace(next);
      reveal(frame.current, next);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act(at);
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
  return { frame, seen, onKeyDown, cellProps };
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
interface Seen {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

function useSeen(frame: RefObject<HTMLDivElement | null>): Seen {
  const [seen, setSeen] = useState<Seen>({ top: 0, left: 0, width: 1280, height: 800 });
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
