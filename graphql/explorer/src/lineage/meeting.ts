// Which edges meet a path: an edge into `user` meets one from `user.name`, as it does in the server's search.
import type { Lineage } from "./graph";
import type { LineageEdge, LineageNode, Transformation } from "./model";
import { nodeKey, type PathRef } from "./names";

export type End = "source" | "target";

/** Manipulations that move values without changing them, as the server knows them. */
const MOVES = new Set(["COPY", "RENAME", "EXTRACT", "CONSTRUCT", "FLATTEN", "NEST", "PICK"]);

/** Whether each path nested in the source is the same relative path in the target. */
export function carriesStructure({ type, subtype, manipulation }: Transformation): boolean {
  if (type === "INDIRECT") {
    return false;
  }
  return manipulation.length ? manipulation.every((each) => MOVES.has(each)) : subtype === "IDENTITY";
}

/** The paths that hold the given one, the whole dataset first and its own last. */
function prefixes(node: PathRef): PathRef[] {
  return [...Array(node.path.length + 1).keys()].map((length) => ({
    namespace: node.namespace,
    name: node.name,
    path: node.path.slice(0, length),
  }));
}

/** The edges of a lineage by the path at one of their ends. */
export class EdgesAt {
  readonly #at = new Map<string, LineageEdge[]>();
  readonly #within = new Map<string, LineageEdge[]>();

  constructor(lineage: Lineage, end: End) {
    for (const edge of lineage.edges.values()) {
      const node = lineage.nodes.get(edge[end]);
      if (node) {
        put(this.#at, node.key, edge);
        for (const each of prefixes(node)) {
          put(this.#within, nodeKey(each), edge);
        }
      }
    }
  }

  /** Those at the path, or at what is nested in it. */
  within(node: PathRef): readonly LineageEdge[] {
    return this.#within.get(nodeKey(node)) ?? [];
  }

  /** Those at what the path is nested in, each with the length of the path at its end. */
  above(node: PathRef): [LineageEdge, number][] {
    const outer = prefixes(node).slice(0, -1);
    return outer.flatMap((each, length) =>
      (this.#at.get(nodeKey(each)) ?? []).map((edge): [LineageEdge, number] => [edge, length]),
    );
  }
}

function put(edges: Map<string, LineageEdge[]>, key: string, edge: LineageEdge): void {
  const known = edges.get(key);
  if (known) {
    known.push(edge);
  } else {
    edges.set(key, [edge]);
  }
}

/** The paths of a lineage, and whether one more can be among them. */
export class KnownPaths {
  readonly #nodes: ReadonlyMap<string, LineageNode>;
  readonly #holders = new Set<string>();

  constructor(nodes: ReadonlyMap<string, LineageNode>) {
    this.#nodes = nodes;
    for (const node of nodes.values()) {
      for (const each of prefixes(node).slice(0, -1)) {
        this.#holders.add(nodeKey(each));
      }
    }
  }

  /** The relative path under the node where the dataset may have it; otherwise the node. */
  under(node: LineageNode, relative: readonly string[]): PathRef {
    const { namespace, name, path } = node;
    const finer = { namespace, name, path: [...path, ...relative] };
    if (!this.#holders.has(node.key)) {
      return finer;
    }
    const between = prefixes(finer).slice(path.length + 1);
    const known = between.some((each) => this.#nodes.has(nodeKey(each)));
    return known || this.#holders.has(nodeKey(finer)) ? finer : node;
  }
}
