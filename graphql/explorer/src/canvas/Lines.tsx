// All lines of a picture on one canvas: thousands of them move without delay. What they say is also in the details.
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import type { Places } from "../layout/elk_graph";
import { bends, middleOf, type Route } from "../layout/routes";
import { grouped } from "../lineage/grouped";
import { PRUNED_SIGN } from "../lineage/pruned";
import type { Box } from "../picture/measures";
import type { Line, Picture } from "../picture/model";
import { useShade } from "../state/preferences";
import { SIGNS } from "../time/difference";
import { boxesOf, drawBoxes } from "./boxes";
import { type Draw, Painter, type View } from "./painter";
import { LEAST_TEXT } from "./views";

export interface Lit {
  /** The ids of lines along which the value of the selected path flows. */
  readonly values: ReadonlySet<string>;
  /** The ids of the other lines on its way. */
  readonly influences: ReadonlySet<string>;
}

interface Props {
  readonly lines: readonly Line[];
  readonly routes: ReadonlyMap<string, Route>;
  /** The picture whose cards are painted, where they are no elements. */
  readonly painted: { readonly picture: Picture; readonly places: Places } | null;
  readonly lit: Lit | null;
  /** The id of the line under the pointer. */
  readonly pointed: string | null;
}

interface Stroke {
  readonly colour: string;
  readonly width: number;
  readonly dash: readonly number[];
}

/** Below this zoom dashes and curves cannot be distinguished from plain lines, which are drawn much faster. */
const FAR = 0.25;
/** The dashes of lines that no data can take. */
const PRUNED = [9, 7];
/** Below this zoom, counts of jobs have no room on lines. */
const COUNTED = 0.45;

export function Lines({ lines, routes, painted, lit, pointed }: Props) {
  const store = useStoreApi();
  const canvas = useRef<HTMLCanvasElement>(null);
  const shade = useShade();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours of lines depend on the theme
  useEffect(() => {
    if (!canvas.current) {
      return;
    }
    const painter = new Painter(canvas.current, drawingOf({ lines, routes, painted, lit, pointed }));
    const show = ({ transform: [x, y, zoom], width, height }: ReturnType<typeof store.getState>) =>
      painter.show({ x, y, zoom, width, height });
    show(store.getState());
    const unsubscribe = store.subscribe((state, before) => {
      if (
        state.transform !== before.transform ||
        state.width !== before.width ||
        state.height !== before.height
      ) {
        show(state);
      }
    });
    return () => {
      unsubscribe();
      painter.stop();
    };
  }, [lines, routes, painted, lit, pointed, store, shade]);
  return <canvas ref={canvas} className="lines" />;
}

/** What draws these lines: all that does not depend on the view is prepared once. */
function drawingOf({ lines, routes, painted, lit, pointed }: Props): Draw {
  const groups = grouped(lines, (line) => kindOf(line, lit, pointed));
  const points = new Map(
    KINDS.map((kind) => [kind, (groups.get(kind) ?? []).flatMap((line) => routes.get(line.id) ?? [])]),
  );
  const signed = MARKS.map((mark) => {
    const partly = lit ? [] : lines.filter((line) => line.partly?.includes(mark));
    return [mark, [...(groups.get(mark) ?? []), ...partly].map((line) => routes.get(line.id) ?? [])] as const;
  });
  const crossed = (groups.get("pruned") ?? []).map((line) => routes.get(line.id) ?? []);
  const counted = lines.filter((line) => (line.jobs?.count ?? 0) > 1);
  const boxes = painted ? boxesOf(painted.picture.cards, painted.places) : [];
  return (context, view, margin) => {
    const style = getComputedStyle(context.canvas);
    const strokes = strokesOf(style, view.zoom);
    const isSeen = within(view, margin);
    let drawn = 0;
    for (const kind of KINDS) {
      drawn += stroke(context, points.get(kind) ?? [], strokes[kind], view.zoom < FAR, isSeen);
    }
    for (const [mark, routesOf] of signed) {
      sign(context, routesOf, SIGNS[mark], strokes[mark].colour);
    }
    sign(context, crossed, PRUNED_SIGN, strokes.pruned.colour);
    if (view.zoom >= COUNTED) {
      writeCounts(context, counted, routes, isSeen, view.zoom);
    }
    return drawn + drawBoxes(context, boxes, style, view.zoom, isBoxSeen(view, margin));
  };
}

const MARKS = ["gone", "changed", "added"] as const;

/** From the back to the front. */
const KINDS = [
  "faint",
  "pruned",
  "influence",
  "value",
  "gone",
  "changed",
  "added",
  "lit influence",
  "lit value",
  "pointed",
  "pointed pruned",
] as const;
type Kind = (typeof KINDS)[number];

function kindOf(line: Line, lit: Lit | null, pointed: string | null): Kind {
  if (line.id === pointed) {
    return line.pruned ? "pointed pruned" : "pointed";
  }
  if (line.pruned) {
    return lit ? "faint" : "pruned";
  }
  if (!lit) {
    return line.mark ?? (line.value ? "value" : "influence");
  }
  return lit.values.has(line.id) ? "lit value" : lit.influences.has(line.id) ? "lit influence" : "faint";
}

function strokesOf(style: CSSStyleDeclaration, zoom: number): Record<Kind, Stroke> {
  const colour = (name: string) => style.getPropertyValue(name);
  const thin = Math.min(1.5, 1 / zoom);
  const dash = zoom < FAR ? [] : [5, 4];
  return {
    faint: { colour: colour("--line-faint"), width: thin, dash: [] },
    value: { colour: colour("--line-value"), width: thin, dash: [] },
    influence: { colour: colour("--line-influence"), width: thin, dash },
    pruned: { colour: colour("--line-pruned"), width: thin, dash: zoom < FAR ? [] : PRUNED },
    "pointed pruned": { colour: colour("--line-pruned"), width: 2.5 * thin, dash: PRUNED },
    added: { colour: colour("--mark-added"), width: 2 * thin, dash: [] },
    gone: { colour: colour("--mark-gone"), width: 2 * thin, dash: [2, 4] },
    changed: { colour: colour("--mark-changed"), width: 2 * thin, dash: [10, 3, 2, 3] },
    "lit value": { colour: colour("--line-lit-value"), width: 2 * thin, dash: [] },
    "lit influence": { colour: colour("--line-lit-influence"), width: 1.7 * thin, dash },
    pointed: { colour: colour("--line-lit-value"), width: 2.5 * thin, dash: [] },
  };
}

type Point = Route[number];

/** Whether a curve between two points may be seen in the view. */
function within(view: View, margin: number): (from: Point, to: Point) => boolean {
  const [left, top, right, bottom] = edges(view, margin);
  return (from, to) => {
    const swing = to.x > from.x ? 0 : Math.max(24, (from.x - to.x) / 2);
    return (
      Math.max(from.x, to.x) + swing >= left &&
      Math.min(from.x, to.x) - swing <= right &&
      Math.max(from.y, to.y) >= top &&
      Math.min(from.y, to.y) <= bottom
    );
  };
}

/** Whether a box is in the view. */
function isBoxSeen(view: View, margin: number): (box: Box) => boolean {
  const [left, top, right, bottom] = edges(view, margin);
  return ({ x, y, width, height }) => x <= right && y <= bottom && x + width >= left && y + height >= top;
}

function edges({ x, y, zoom, width, height }: View, margin: number): [number, number, number, number] {
  return [
    (-x - margin) / zoom,
    (-y - margin) / zoom,
    (width + margin - x) / zoom,
    (height + margin - y) / zoom,
  ];
}

/** Draws the curves that `isSeen`; returns how many these were. */
function stroke(
  context: CanvasRenderingContext2D,
  points: readonly Point[],
  { colour, width, dash }: Stroke,
  straight: boolean,
  isSeen: (from: Point, to: Point) => boolean,
): number {
  let drawn = 0;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash([...dash]);
  context.beginPath();
  for (let index = 0; index + 1 < points.length; index += 2) {
    const [from, to] = [points[index] as Point, points[index + 1] as Point];
    if (!isSeen(from, to)) {
      continue;
    }
    drawn += 1;
    context.moveTo(from.x, from.y);
    if (straight) {
      context.lineTo(to.x, to.y);
    } else {
      const [first, second] = bends(from, to);
      context.bezierCurveTo(first.x, first.y, second.x, second.y, to.x, to.y);
    }
  }
  context.stroke();
  return drawn;
}

/** Writes how many jobs connect groups, on their lines. */
function writeCounts(
  context: CanvasRenderingContext2D,
  lines: readonly Line[],
  routes: ReadonlyMap<string, Route>,
  isSeen: (from: Point, to: Point) => boolean,
  zoom: number,
): void {
  const style = getComputedStyle(context.canvas);
  context.font = `600 ${Math.max(11, LEAST_TEXT / zoom)}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.setLineDash([]);
  context.lineWidth = 5;
  context.strokeStyle = style.getPropertyValue("--ground");
  context.fillStyle = style.getPropertyValue("--text");
  for (const { id, jobs } of lines) {
    const route = routes.get(id) ?? [];
    const at = middleOf(route);
    if (at && isSeen(route[0] as Point, route[1] as Point)) {
      context.strokeText(`${jobs?.count}`, at.x, at.y);
      context.fillText(`${jobs?.count}`, at.x, at.y);
    }
  }
}

/** Writes a sign at the middle of the first curve of each line. */
function sign(
  context: CanvasRenderingContext2D,
  routes: readonly Route[],
  text: string,
  colour: string,
): void {
  context.font = "700 15px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.setLineDash([]);
  context.lineWidth = 4;
  context.strokeStyle = getComputedStyle(context.canvas).getPropertyValue("--ground");
  context.fillStyle = colour;
  for (const [from, to] of routes) {
    if (from && to) {
      const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }
}
