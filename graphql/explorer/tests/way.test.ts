import { expect, test } from "vitest";

import { type Lineage, lineageOf } from "../src/lineage/graph";
import { wayOf } from "../src/picture/way";

type Kind = "DIRECT" | "INDIRECT" | "COMPUTE";

/** A lineage of edges between paths of datasets, each written `dataset.column`; "DIRECT" ones move what they carry. */
function lineage(...edges: readonly [string, string, Kind][]): Lineage {
  const names = [...new Set(edges.flatMap((edge) => edge.slice(0, 2)))];
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
        transformations: [transformation(type)],
      })),
    },
    1,
  );
}

function transformation(kind: Kind) {
  const type = kind === "INDIRECT" ? ("INDIRECT" as const) : ("DIRECT" as const);
  const manipulation = kind === "COMPUTE" ? ["COMPUTE"] : [];
  return { type, subtype: "IDENTITY", masking: false, manipulation, access: null, functions: [] };
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

test("values flow along direct edges only, and influences are distinguished", () => {
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

test("an edge into a structure goes on by the edges from its members", () => {
  const graph = lineage(["a.u", "b.u", "DIRECT"], ["b.u.name", "c.x", "DIRECT"], ["b.v", "c.v", "DIRECT"]);
  const all = ["a.u > b.u", "b.u.name > c.x"];
  expect(shown(graph, wayOf(graph, node("a.u")).values)).toEqual(all);
  expect(shown(graph, wayOf(graph, node("a.u.name")).values)).toEqual(all);
  expect(shown(graph, wayOf(graph, node("c.x")).values)).toEqual(all);
});

test("a member that is moved with its structure does not go on as its siblings", () => {
  const graph = lineage(
    ["a.u", "b.u", "DIRECT"],
    ["b.u.name", "c.name", "DIRECT"],
    ["b.u.age", "c.age", "DIRECT"],
  );
  expect(shown(graph, wayOf(graph, node("a.u.name")).values)).toEqual(["a.u > b.u", "b.u.name > c.name"]);
  expect(shown(graph, wayOf(graph, node("c.age")).values)).toEqual(["a.u > b.u", "b.u.age > c.age"]);
});

test("what is computed of a structure may be in all of it", () => {
  const graph = lineage(
    ["a.u", "b.u", "COMPUTE"],
    ["b.u.name", "c.name", "DIRECT"],
    ["b.u.age", "c.age", "DIRECT"],
  );
  const way = wayOf(graph, node("a.u.name"));
  expect(shown(graph, way.values)).toEqual(["a.u > b.u", "b.u.age > c.age", "b.u.name > c.name"]);
});

test("a member that the other dataset does not know is followed as the whole", () => {
  const graph = lineage(["a.u", "b.u", "DIRECT"], ["b.u.title", "c.title", "DIRECT"]);
  expect(shown(graph, wayOf(graph, node("a.u.name")).values)).toEqual(["a.u > b.u", "b.u.title > c.title"]);
});

test("what decides about a whole dataset influences each of its paths, but does not join them", () => {
  const graph = lineage(
    ["a.flag", "b", "INDIRECT"],
    ["a.x", "b.x", "DIRECT"],
    ["a.y", "b.y", "DIRECT"],
    ["b.x", "c.x", "DIRECT"],
  );
  const back = wayOf(graph, node("c.x"));
  expect(shown(graph, back.values)).toEqual(["a.x > b.x", "b.x > c.x"]);
  expect(shown(graph, back.influences)).toEqual(["a.flag > b"]);
  const forth = wayOf(graph, node("a.flag"));
  expect(shown(graph, forth.values)).toEqual([]);
  expect(shown(graph, forth.influences)).toEqual(["a.flag > b", "b.x > c.x"]);
});

test("an edge that moves and decides is each on its own way", () => {
  const both = lineage(
    ["a.u", "b.u", "DIRECT"],
    ["b.u.name", "c.name", "DIRECT"],
    ["b.u.age", "c.age", "DIRECT"],
  );
  const edges = [...both.edges].map(([key, edge]): [string, typeof edge] => {
    const decides = edge.key.includes("c") ? [] : [transformation("INDIRECT")];
    return [key, { ...edge, transformations: [...edge.transformations, ...decides] }];
  });
  const way = wayOf({ ...both, edges: new Map(edges) }, node("a.u.name"));
  expect(shown(both, way.values)).toEqual(["a.u > b.u", "b.u.name > c.name"]);
  expect(shown(both, way.influences)).toEqual(["b.u.age > c.age"]);
});

test("a cycle ends", () => {
  const graph = lineage(["a.x", "b.x", "DIRECT"], ["b.x", "a.x", "DIRECT"]);
  expect(shown(graph, wayOf(graph, node("a.x")).values)).toEqual(["a.x > b.x", "b.x > a.x"]);
});
