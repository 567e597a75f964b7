import { expect, test } from "vitest";

import { isSlow } from "../src/layout/arrange";
import { placesOf } from "../src/layout/elk_graph";
import { nearestLine } from "../src/layout/nearest";
import { quickPlaces } from "../src/layout/quick_places";
import { bends, routesOf } from "../src/layout/routes";
import type { Card, Line, Picture } from "../src/picture/model";

function picture(...edges: readonly [string, string][]): Picture {
  const cards = [...new Set(edges.flat())].map((id): Card => {
    const names = { id, kind: "dataset" as const, namespace: "n", name: id, title: id };
    return { ...names, rows: [], gaps: [], gapCount: 0, size: 1, start: false };
  });
  const lines = edges.map(([source, target]): Line => {
    const ends = { source: { card: source, row: null }, target: { card: target, row: null } };
    return { id: `${source} > ${target}`, ...ends, through: null, value: true, edges: [] };
  });
  return { cards, lines };
}

const many = (count: number) => [...Array(count).keys()];

test("a large picture has each card right of what leads to it, and none over another", () => {
  const edges = many(300).map((at): [string, string] => [`${Math.floor(at / 3)}`, `${at + 1}`]);
  const places = quickPlaces(picture(...edges));
  for (const [source, target] of edges) {
    expect(places.get(source)?.x).toBeLessThan(places.get(target)?.x ?? 0);
  }
  const boxes = [...places.values()];
  expect(boxes).toHaveLength(301);
  const over = boxes.filter((one) =>
    boxes.some(
      (other) =>
        one !== other &&
        one.x < other.x + other.width &&
        other.x < one.x + one.width &&
        one.y < other.y + other.height &&
        other.y < one.y + one.height,
    ),
  );
  expect(over).toEqual([]);
});

test("ways pass the columns beside their ends between cards, and over none", () => {
  const edges = many(70).map((at): [string, string] => [`source ${at}`, `target ${at % 30}`]);
  const drawn = picture(...edges);
  const places = quickPlaces(drawn);
  const boxes = [...places.entries()];
  const routes = routesOf(drawn, places);
  for (const { id, source, target } of drawn.lines) {
    const points = routes.get(id) ?? [];
    const crossed = boxes.filter(
      ([card, { x, y, width, height }]) =>
        card !== source.card &&
        card !== target.card &&
        points.some(
          (from, at) =>
            at % 2 === 0 &&
            many(21).some((step) => {
              const to = points[at + 1] ?? from;
              const [first, second] = bends(from, to);
              const [t, u] = [step / 20, 1 - step / 20];
              const weights = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
              const on = (of: "x" | "y") =>
                [from, first, second, to].reduce(
                  (sum, each, place) => sum + each[of] * (weights[place] ?? 0),
                  0,
                );
              const [left, top] = [on("x"), on("y")];
              return left > x && left < x + width && top > y && top < y + height;
            }),
        ),
    );
    expect(crossed.map(([card]) => card)).toEqual([]);
  }
});

test("a line is slow if it took long over little, and not if a script was in the browser's cache", () => {
  const script = (transferSize: number, duration: number) => [
    { initiatorType: "script", transferSize, duration },
  ];
  expect(isSlow(script(192_000, 3_900))).toBe(true);
  expect(isSlow(script(192_000, 900))).toBe(false);
  expect(isSlow(script(0, 3_900))).toBe(false);
  expect(isSlow([{ initiatorType: "fetch", transferSize: 100, duration: 9_000 }])).toBe(false);
});

test("a cycle has places, too", () => {
  expect(quickPlaces(picture(["a", "b"], ["b", "c"], ["c", "a"], ["d", "d"])).size).toBe(4);
});

test("a line passes by the bends of its way, and is found where it passes", () => {
  const drawn = picture(["a", "b"]);
  const box = { width: 100, height: 40 };
  const places = placesOf({
    id: "picture",
    children: [
      { id: "a", x: 0, y: 0, ...box },
      { id: "b", x: 500, y: 0, ...box },
    ],
    edges: [
      {
        id: "a\u0001b",
        sources: ["a"],
        targets: ["b"],
        sections: [
          {
            id: "s",
            startPoint: { x: 100, y: 20 },
            endPoint: { x: 500, y: 20 },
            bendPoints: [
              { x: 200, y: 90 },
              { x: 400, y: 90 },
            ],
          },
        ],
      },
    ],
  });
  const routes = routesOf(drawn, places);
  expect(routes.get("a > b")).toHaveLength(6);
  expect(nearestLine(routes, { x: 300, y: 92 }, 5)).toBe("a > b");
  expect(nearestLine(routes, { x: 300, y: 20 }, 5)).toBe(null);
});
