// Lines as SVG: a path for each, dashed where it only influences.

import { bends, middleOf, type Route, routesOf } from "../layout/routes";
import { PRUNED_SIGN } from "../lineage/pruned";
import type { Line } from "../picture/model";
import type { Mark } from "../time/difference";
import { element, escaped, rounded } from "./markup";
import type { Drawing, LitWay } from "./model";
import type { Palette } from "./palette";

export const DASHES = "6 4";

export interface Stroke {
  readonly class: string;
  readonly stroke: string;
  readonly "stroke-width": number;
  readonly "stroke-dasharray": string | undefined;
}

type Kind = "faint" | "pruned" | "influence" | "value" | Mark | "lit influence" | "lit value";
const ORDER: readonly Kind[] = [
  "faint",
  "pruned",
  "influence",
  "value",
  "gone",
  "changed",
  "added",
  "lit influence",
  "lit value",
];

/** The lines that have a route; those on the way of the selected path come last, above the others. */
export function linesOf({ picture, places, lit }: Drawing, palette: Palette): string[] {
  const routes = routesOf(picture, places);
  const ordered = picture.lines
    .map((line) => ({ line, kind: kindOf(line, lit), route: routes.get(line.id) }))
    .sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
  const drawn = ordered.flatMap(({ line, kind, route }) =>
    route
      ? [element("path", { ...strokeOf(kind, palette), d: course(route), fill: "none" }, ...titleOf(line))]
      : [],
  );
  const signs = ordered.filter(({ kind }) => kind === "pruned");
  return [
    ...drawn,
    ...signs.flatMap(({ route }) => signOf(route, palette)),
    ...ordered.flatMap(({ line, route }) => countOf(line, route, palette)),
  ];
}

/** Why no data can take a line. */
function titleOf({ pruned, edges }: Line): string[] {
  const sentences = pruned ? new Set(edges.flatMap(({ because }) => because ?? [])) : [];
  const text = [...sentences].join("\n");
  return text ? [element("title", {}, escaped(text))] : [];
}

/** The sign of lines that no data can take, at the middle of the first curve. */
function signOf(route: Route | undefined, palette: Palette): string[] {
  const at = route && middleOf(route);
  if (!at) {
    return [];
  }
  const place = { x: rounded(at.x), y: rounded(at.y + 5), "text-anchor": "middle", "font-size": 15 };
  const around = { stroke: palette.ground, "stroke-width": 4, "paint-order": "stroke" };
  return [
    element("text", { ...place, ...around, fill: palette.linePruned, "font-weight": 700 }, PRUNED_SIGN),
  ];
}

/** How many jobs connect two groups, on their line. */
function countOf({ jobs }: Line, route: Route | undefined, palette: Palette): string[] {
  const at = route && middleOf(route);
  if (!at || !jobs || jobs.count < 2) {
    return [];
  }
  const place = { x: rounded(at.x), y: rounded(at.y + 4), "text-anchor": "middle", "font-size": 12 };
  const around = { stroke: palette.ground, "stroke-width": 5, "paint-order": "stroke", fill: palette.text };
  return [element("text", { ...place, ...around }, `${jobs.count}`)];
}

export function strokeOf(kind: Kind, palette: Palette): Stroke {
  const strokes: Record<Kind, readonly [string, number, string?]> = {
    faint: [palette.lineFaint, 1.5],
    influence: [palette.lineInfluence, 1.5, DASHES],
    value: [palette.lineValue, 1.5],
    pruned: [palette.linePruned, 1.5, "9 7"],
    added: [palette.markAdded, 2.5],
    gone: [palette.markGone, 2.5, "2 4"],
    changed: [palette.markChanged, 2.5, "10 3 2 3"],
    "lit influence": [palette.lineLitInfluence, 3, DASHES],
    "lit value": [palette.lineLitValue, 3.5],
  };
  const [stroke, width, dashes] = strokes[kind];
  return { class: `line ${kind}`, stroke, "stroke-width": width, "stroke-dasharray": dashes };
}

export function kindOf(line: Line, lit: LitWay | null): Kind {
  if (line.pruned) {
    return lit ? "faint" : "pruned";
  }
  if (!lit) {
    return line.mark ?? (line.value ? "value" : "influence");
  }
  return lit.values.has(line.id) ? "lit value" : lit.influences.has(line.id) ? "lit influence" : "faint";
}

/** The curves of a route. */
function course(route: Route): string {
  const curves: string[] = [];
  for (let index = 0; index + 1 < route.length; index += 2) {
    const [from, to] = [route[index] as Route[number], route[index + 1] as Route[number]];
    const [first, second] = bends(from, to);
    const points = [from, first, second, to].map(({ x, y }) => `${rounded(x)} ${rounded(y)}`);
    curves.push(`M${points[0]}C${points.slice(1).join(" ")}`);
  }
  return curves.join("");
}
