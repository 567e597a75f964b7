// The whole way of a path: the edges by which it came, and those by which it goes on.
import type { Lineage } from "../lineage/graph";
import type { PathRef } from "../lineage/names";
import { isAny, isDirect, type Kind, Ways } from "../lineage/walk";

export interface WayOfPath {
  /** The keys of all nodes on the way, the path itself among them. */
  readonly nodes: ReadonlySet<string>;
  /** The keys of those nodes that its value comes through. */
  readonly valueNodes: ReadonlySet<string>;
  /** The keys of edges along which its value flows all the way. */
  readonly values: ReadonlySet<string>;
  /** The keys of edges on the way that only influence, or come after one that does. */
  readonly influences: ReadonlySet<string>;
}

/** The way of a path, whether or not it is a node of the lineage itself. */
export function wayOf(lineage: Lineage, path: PathRef): WayOfPath {
  const ways = [new Ways(lineage, "target"), new Ways(lineage, "source")];
  const found = (kind: Kind) => {
    const parts = ways.map((each) => each.from([path], kind));
    return {
      nodes: new Set(parts.flatMap((part) => [...part.nodes])),
      edges: new Set(parts.flatMap((part) => [...part.edges])),
    };
  };
  const [values, all] = [found(isDirect), found(isAny)];
  return {
    nodes: all.nodes,
    valueNodes: values.nodes,
    values: values.edges,
    influences: new Set([...all.edges].filter((key) => !values.edges.has(key))),
  };
}
