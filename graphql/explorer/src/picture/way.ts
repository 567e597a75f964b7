// The whole way of a path: the edges by which it came, and those by which it goes on.
import { carriesValue, type Lineage, type LineageEdge } from "../lineage/graph";
import { grouped } from "../lineage/grouped";
import { datasetKey, holds, type PathRef } from "../lineage/names";

export interface WayOfPath {
  /** The keys of the nodes on the way, the path itself among them. */
  readonly nodes: ReadonlySet<string>;
  /** The keys of edges along which its value flows all the way. */
  readonly values: ReadonlySet<string>;
  /** The keys of edges on the way that only influence, or come after one that does. */
  readonly influences: ReadonlySet<string>;
}

/** The way of all nodes of the lineage that are the path, are nested in it, or hold it. */
export function wayOf(lineage: Lineage, path: PathRef): WayOfPath {
  const start = [...lineage.nodes.values()].filter(
    (node) =>
      datasetKey(node) === datasetKey(path) && (holds(path.path, node.path) || holds(node.path, path.path)),
  );
  const keys = start.map((node) => node.key);
  const edges = [...lineage.edges.values()];
  const back = walk(
    keys,
    grouped(edges, (edge) => edge.target),
    (edge) => edge.source,
  );
  const forth = walk(
    keys,
    grouped(edges, (edge) => edge.source),
    (edge) => edge.target,
  );
  const values = new Set([...back.values, ...forth.values]);
  const influences = new Set([...back.all, ...forth.all].filter((key) => !values.has(key)));
  return { nodes: new Set([...keys, ...back.nodes, ...forth.nodes]), values, influences };
}

interface Walk {
  readonly nodes: Set<string>;
  readonly all: Set<string>;
  readonly values: Set<string>;
}

function walk(
  start: readonly string[],
  edgesAt: ReadonlyMap<string, readonly LineageEdge[]>,
  farEnd: (edge: LineageEdge) => string,
): Walk {
  const byValue = reach(start, edgesAt, farEnd, carriesValue);
  const byAny = reach(start, edgesAt, farEnd, () => true);
  return { nodes: byAny.nodes, all: byAny.edges, values: byValue.edges };
}

function reach(
  start: readonly string[],
  edgesAt: ReadonlyMap<string, readonly LineageEdge[]>,
  farEnd: (edge: LineageEdge) => string,
  follows: (edge: LineageEdge) => boolean,
): { nodes: Set<string>; edges: Set<string> } {
  const nodes = new Set(start);
  const edges = new Set<string>();
  const waiting = [...start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const edge of (edgesAt.get(node) ?? []).filter(follows)) {
      edges.add(edge.key);
      const next = farEnd(edge);
      if (!nodes.has(next)) {
        nodes.add(next);
        waiting.push(next);
      }
    }
  }
  return { nodes, edges };
}
