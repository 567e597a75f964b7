// Which line is at a point.
import { bends, type Point, type Route } from "./routes";

const PARTS = 16;

/** The id of the line that is nearest to the point, and at most `reach` away from it; null where none is. */
export function nearestLine(routes: ReadonlyMap<string, Route>, point: Point, reach: number): string | null {
  let [nearest, least]: [string | null, number] = [null, reach];
  for (const [id, route] of routes) {
    for (let index = 0; index + 1 < route.length; index += 2) {
      const [from, to] = [route[index] as Point, route[index + 1] as Point];
      if (mayBeNear(from, to, point, least)) {
        const distance = distanceToCurve(from, to, point);
        if (distance <= least) {
          [nearest, least] = [id, distance];
        }
      }
    }
  }
  return nearest;
}

/** Whether the point is in the box of the curve, which may swing out at its ends where it goes backward. */
function mayBeNear(from: Point, to: Point, { x, y }: Point, reach: number): boolean {
  const [first, second] = bends(from, to);
  const [xs, ys] = [
    [from.x, first.x, second.x, to.x],
    [from.y, to.y],
  ];
  return (
    x >= Math.min(...xs) - reach &&
    x <= Math.max(...xs) + reach &&
    y >= Math.min(...ys) - reach &&
    y <= Math.max(...ys) + reach
  );
}

function distanceToCurve(from: Point, to: Point, point: Point): number {
  const [first, second] = bends(from, to);
  let [least, before] = [Number.POSITIVE_INFINITY, from];
  for (let part = 1; part <= PARTS; part++) {
    const t = part / PARTS;
    const at = (a: number, b: number, c: number, d: number) =>
      (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
    const next = { x: at(from.x, first.x, second.x, to.x), y: at(from.y, first.y, second.y, to.y) };
    least = Math.min(least, distanceToSegment(before, next, point));
    before = next;
  }
  return least;
}

function distanceToSegment(from: Point, to: Point, { x, y }: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const share = length > 0 ? Math.min(1, Math.max(0, ((x - from.x) * dx + (y - from.y) * dy) / length)) : 0;
  return Math.hypot(x - from.x - share * dx, y - from.y - share * dy);
}
