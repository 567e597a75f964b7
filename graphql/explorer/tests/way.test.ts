import { expect, test } from "vitest";

import { type Lineage, lineageOf } from "../src/lineage/graph";
import { wayOf } from "../src/picture/way";

type Kind = "DIRECT" | "INDIRECT";

/** A lineage of edges between columns of datasets, each written `dataset.column`. */
function lineage(...edges: readonly [string, string, Kind][]): Lineage {
  const names = [...new Set(edges.flat())];
  return lineageOf(
    {
      complete: true,
      cursor: null,
      incomplete: [],
      nodes: names.map((name) => ({ ...node(name), label: name, distance: 0, reach: "DIRECT" as const })),
      edges: edges.map(([source, target, type]) => ({
        source: names.indexOf(source),
        target: names.indexOf(target),
        job: { namespace: "n", name: "j" },
        transformations: [{ type, subtype: "IDENTITY", masking: false, manipulation: [], access: null }],
      })),
    },
    1,
  );
}

function node(text: string) {
  const [name = "", ...path] = text.split(".");
  return { namespace: "n", name, path };
}

function shown(graph: Lineage, keys: ReadonlySet<string>): string[] {
  const name = (key: string) => graph.nodes.get(key)?.label;
  return [...graph.edges.values()]
    .filter((edge) => keys.has(edge.key))
    .map((edge) => `${name(edge.source)} > ${name(edge.target)}`)
    .sort();
}

test("values flow along direct edges only, and influences are told apart", () => {
  const graph = lineage(
    ["a.x", "b.x", "DIRECT"],
    ["a.y", "b.x", "INDIRECT"],
    ["b.x", "c.x", "DIRECT"],
    ["b.z", "c.z", "DIRECT"],
  );
  const way = wayOf(graph, node("b.x"));
  expect(shown(graph, way.values)).toEqual(["a.x > b.x", "b.x > c.x"]);
  expect(shown(graph, way.influences)).toEqual(["a.y > b.x"]);
});

test("what comes after an influence is an influence", () => {
  const graph = lineage(["a.x", "b.x", "INDIRECT"], ["b.x", "c.x", "DIRECT"]);
  const way = wayOf(graph, node("a.x"));
  expect(shown(graph, way.values)).toEqual([]);
  expect(shown(graph, way.influences)).toEqual(["a.x > b.x", "b.x > c.x"]);
});

test("the way of a structure is that of its members, and a member is on the way of the structure", () => {
  const graph = lineage(["a.u.name", "b.name", "DIRECT"], ["a.u", "c.u", "DIRECT"], ["a.v", "b.v", "DIRECT"]);
  expect(shown(graph, wayOf(graph, node("a.u")).values)).toEqual(["a.u > c.u", "a.u.name > b.name"]);
  expect(shown(graph, wayOf(graph, node("a.u.name")).values)).toEqual(["a.u > c.u", "a.u.name > b.name"]);
});
