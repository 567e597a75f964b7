// The course of each line over the places of the cards: from a row, through a lane of the job's card, to a row.

import { grouped } from "../lineage/grouped";
import { type Box, heightOf, type Point } from "../picture/measures";
import type { Line, Picture } from "../picture/model";
import { legKey, legsOf, type Places } from "./elk_graph";

export type { Point } from "../picture/measures";

/** The points of a line by pairs: each pair is one curve; between pairs it may cross a job's card. */
export type Route = readonly Point[];

/** How far from each other lines are that pass cards together. */
const BUNDLE = 10;

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
    const lane = lanes.get(line.id) ?? 0.5;
    const start = { x: from.x + from.width, y: from.y + heightOf(source, line.source.row) };
    const end = { x: to.x, y: to.y + heightOf(target, line.target.row) };
    const job = line.through === null ? undefined : places.get(line.through);
    const legs = job ? legsOf(line) : [[line.source.card, line.target.card] as const];
    const stops = job
      ? [
          [start, entry(job, lane)],
          [exit(job, lane), end],
        ]
      : [[start, end]];
    routes.set(
      line.id,
      legs.flatMap((leg, index) => {
        const [first, last] = stops[index] as [Point, Point];
        return pairs([first, ...shifted(places.bends?.get(legKey(leg)) ?? [], lane), last]);
      }),
    );
  }
  return routes;
}

function entry({ x, y, height }: Box, lane: number): Point {
  return { x, y: y + height * lane };
}

function exit(job: Box, lane: number): Point {
  return { x: job.x + job.width, y: entry(job, lane).y };
}

function shifted(bends: readonly Point[], lane: number): Point[] {
  return bends.map(({ x, y }) => ({ x, y: y + (lane - 0.5) * BUNDLE }));
}

function pairs(points: readonly Point[]): Point[] {
  return points.slice(1).flatMap((to, index) => [points[index] as Point, to]);
}

/** For each line, the share of the height at which it crosses its job, or what it passes together with others. */
function lanesOf(lines: readonly Line[]): Map<string, number> {
  const lanes = new Map<string, number>();
  const together = grouped(lines, (line) => line.through ?? legsOf(line).map(legKey).join());
  for (const bundle of together.values()) {
    bundle.forEach((line, index) => {
      lanes.set(line.id, (index + 1) / (bundle.length + 1));
    });
  }
  return lanes;
}

/** Where a count stands: on the middle of the first curve. */
export function middleOf([from, to]: Route): Point | null {
  return from && to ? { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } : null;
}

/** The points that bend the curve between two points: it leaves and arrives level. */
export function bends(from: Point, to: Point): [Point, Point] {
  const way = to.x - from.x;
  const reach = way > 0 ? way / 2 : Math.max(24, -way / 2);
  return [
    { x: from.x + reach, y: from.y },
    { x: to.x - reach, y: to.y },
  ];
}
