// The course of each line over the places of the cards: from a row, through a lane of the job's card, to a row.
import type { Places } from "../layout/elk_graph";
import { grouped } from "../lineage/grouped";
import { heightOf } from "./measures";
import type { Line, Picture } from "./model";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The points of a line by pairs: each pair is one curve; between pairs it crosses a job's card. */
export type Route = readonly Point[];

/** The route of each line, by its id; lines with an end that has no place are left out. */
export function routesOf(picture: Picture, places: Places): ReadonlyMap<string, Route> {
  const cards = new Map(picture.cards.map((card) => [card.id, card]));
  const lanes = lanesOf(picture.lines);
  const routes = new Map<string, Route>();
  for (const line of picture.lines) {
    const [from, to] = [places.get(line.source.card), places.get(line.target.card)];
    const [source, target] = [cards.get(line.source.card), cards.get(line.target.card)];
    if (!from || !to || !source || !target) {
      continue;
    }
    const start = { x: from.x + from.width, y: from.y + heightOf(source, line.source.row) };
    const end = { x: to.x, y: to.y + heightOf(target, line.target.row) };
    const job = line.through === null ? undefined : places.get(line.through);
    if (!job) {
      routes.set(line.id, [start, end]);
      continue;
    }
    const y = job.y + job.height * (lanes.get(line.id) ?? 0.5);
    routes.set(line.id, [start, { x: job.x, y }, { x: job.x + job.width, y }, end]);
  }
  return routes;
}

/** For each line that goes through a job, the share of the job's height at which it does. */
function lanesOf(lines: readonly Line[]): Map<string, number> {
  const lanes = new Map<string, number>();
  const through = lines.filter((line) => line.through !== null);
  for (const together of grouped(through, (line) => line.through).values()) {
    together.forEach((line, index) => {
      lanes.set(line.id, (index + 1) / (together.length + 1));
    });
  }
  return lanes;
}

/** The points that bend the curve between two points: it leaves and arrives level. */
export function bends(from: Point, to: Point): [Point, Point] {
  const reach = Math.max(24, Math.abs(to.x - from.x) / 2);
  return [
    { x: from.x + reach, y: from.y },
    { x: to.x - reach, y: to.y },
  ];
}
