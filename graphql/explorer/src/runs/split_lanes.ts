// What of a split job is inside each region, crosses the boundary and is outside, as boxes in lanes with lines between.
import type { Answer } from "../server/client";

export type Split = NonNullable<NonNullable<Answer<"Job">["job"]>["split"]>;
export type Statement = Split["statements"][number];

export const WIDTH = 700;
export const LANES = ["inside", "boundary", "outside"] as const;
export type Lane = (typeof LANES)[number];

const PLACES: Readonly<Record<Lane, readonly [left: number, width: number]>> = {
  inside: [0, 240],
  boundary: [254, 192],
  outside: [460, 240],
};
const [TOP, ROW, HEIGHT, EDGE] = [34, 42, 28, 22];
/** How wide a letter is. */
const LETTER = 7.6;

export interface Box {
  readonly statement: Statement;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly label: string;
}

export interface Drawn {
  readonly height: number;
  readonly lanes: readonly { readonly lane: Lane; readonly x: number; readonly width: number }[];
  readonly boxes: readonly Box[];
  readonly lines: readonly string[];
}

/** What is the same everywhere stands with what is computed outside. */
function laneOf({ side }: Statement): Lane {
  return LANES.find((lane) => lane === side) ?? "outside";
}

export function drawnOf(statements: readonly Statement[]): Drawn {
  const boxes = statements.map((statement, at): Box => {
    const [left, width] = PLACES[laneOf(statement)];
    const inner = width - 2 * EDGE;
    const most = Math.floor(inner / LETTER);
    const { label } = statement;
    const cut = label.length > most ? `${label.slice(0, most - 1)}…` : label;
    return { statement, x: left + EDGE, y: TOP + at * ROW, width: inner, height: HEIGHT, label: cut };
  });
  const byKey = new Map(boxes.map((box) => [box.statement.key, box]));
  const lines = boxes.flatMap((target) =>
    target.statement.inputs.flatMap((key) => {
      const source = byKey.get(key);
      return source ? [lineOf(source, target)] : [];
    }),
  );
  const lanes = LANES.map((lane) => ({ lane, x: PLACES[lane][0], width: PLACES[lane][1] }));
  return { height: TOP + statements.length * ROW + 2, lanes, boxes, lines };
}

/** From box to box: below each other, past those between, or from lane to lane. */
function lineOf(source: Box, target: Box): string {
  const [start, end] = [source.y + HEIGHT / 2, target.y + HEIGHT / 2];
  if (source.x === target.x && target.y - source.y === ROW) {
    return `M${source.x + source.width / 2} ${source.y + HEIGHT}V${target.y}`;
  }
  if (source.x === target.x) {
    const out = source.x - EDGE + 4;
    return `M${source.x} ${start}C${out} ${start} ${out} ${end} ${source.x} ${end}`;
  }
  const forward = target.x > source.x;
  const [from, to] = forward ? [source.x + source.width, target.x] : [source.x, target.x + target.width];
  const middle = (from + to) / 2;
  return `M${from} ${start}C${middle} ${start} ${middle} ${end} ${to} ${end}`;
}
