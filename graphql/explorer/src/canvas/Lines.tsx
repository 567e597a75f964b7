// All lines of a picture on one canvas: thousands of them move without delay. What they say is also in the details.
import { useStore } from "@xyflow/react";
import { useEffect, useRef } from "react";

import { grouped } from "../lineage/grouped";
import type { Line } from "../picture/model";
import { bends, type Route } from "../picture/routes";

export interface Lit {
  /** The ids of lines along which the value of the selected path flows. */
  readonly values: ReadonlySet<string>;
  /** The ids of the other lines on its way. */
  readonly influences: ReadonlySet<string>;
}

interface Props {
  readonly lines: readonly Line[];
  readonly routes: ReadonlyMap<string, Route>;
  readonly lit: Lit | null;
}

interface Stroke {
  readonly colour: string;
  readonly width: number;
  readonly dash: readonly number[];
}

export function Lines({ lines, routes, lit }: Props) {
  const transform = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context) {
      draw(context, { lines, routes, lit }, transform, { width, height });
    }
  }, [lines, routes, lit, transform, width, height]);
  return <canvas ref={canvas} className="lines" style={{ width, height }} />;
}

function draw(
  context: CanvasRenderingContext2D,
  { lines, routes, lit }: Props,
  [x, y, zoom]: readonly [number, number, number],
  { width, height }: { width: number; height: number },
): void {
  const { canvas } = context;
  const ratio = devicePixelRatio;
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  context.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
  const strokes = strokesOf(getComputedStyle(canvas), zoom);
  const groups = grouped(lines, (line) => kindOf(line, lit));
  for (const kind of ["faint", "influence", "value", "lit influence", "lit value"] as const) {
    stroke(
      context,
      (groups.get(kind) ?? []).flatMap((line) => routes.get(line.id) ?? []),
      strokes[kind],
    );
  }
}

type Kind = "faint" | "influence" | "value" | "lit influence" | "lit value";

function kindOf(line: Line, lit: Lit | null): Kind {
  if (!lit) {
    return line.value ? "value" : "influence";
  }
  return lit.values.has(line.id) ? "lit value" : lit.influences.has(line.id) ? "lit influence" : "faint";
}

function strokesOf(style: CSSStyleDeclaration, zoom: number): Record<Kind, Stroke> {
  const colour = (name: string) => style.getPropertyValue(name);
  const thin = Math.min(1.5, 1 / zoom);
  const dash = [6, 4];
  return {
    faint: { colour: colour("--line-faint"), width: thin, dash: [] },
    value: { colour: colour("--line-value"), width: thin, dash: [] },
    influence: { colour: colour("--line-influence"), width: thin, dash },
    "lit value": { colour: colour("--line-lit-value"), width: 2.5 * thin, dash: [] },
    "lit influence": { colour: colour("--line-lit-influence"), width: 2 * thin, dash },
  };
}

function stroke(
  context: CanvasRenderingContext2D,
  points: readonly Route[number][],
  { colour, width, dash }: Stroke,
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash([...dash]);
  context.beginPath();
  for (let index = 0; index + 1 < points.length; index += 2) {
    const [from, to] = [points[index] as Route[number], points[index + 1] as Route[number]];
    const [first, second] = bends(from, to);
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(first.x, first.y, second.x, second.y, to.x, to.y);
  }
  context.stroke();
}
