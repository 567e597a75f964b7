// The whole way of a path: the edges by which it came, and those by which it goes on.
import type { Lineage, LineageEdge, Transformation } from "../lineage/graph";
import { carriesStructure, EdgesAt, type End, KnownPaths } from "../lineage/meeting";
import { nodeKey, type PathRef } from "../lineage/names";

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
  const known = new KnownPaths(lineage.nodes);
  const [back, forth] = [new Ways(lineage, known, "target"), new Ways(lineage, known, "source")];
  const values = joined(back.from(path, isDirect), forth.from(path, isDirect));
  const all = joined(
    back.from(path, () => true),
    forth.from(path, () => true),
  );
  return {
    nodes: all.nodes,
    valueNodes: values.nodes,
    values: values.edges,
    influences: new Set([...all.edges].filter((key) => !values.edges.has(key))),
  };
}

interface Found {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

type Kind = (transformation: Transformation) => boolean;

const isDirect: Kind = ({ type }) => type === "DIRECT";

function joined(one: Found, other: Found): Found {
  return {
    nodes: new Set([...one.nodes, ...other.nodes]),
    edges: new Set([...one.edges, ...other.edges]),
  };
}

/** The ways in one direction: from the near ends of edges to their far ends. */
class Ways {
  readonly #lineage: Lineage;
  readonly #known: KnownPaths;
  readonly #near: End;
  readonly #far: End;
  readonly #edges: EdgesAt;

  constructor(lineage: Lineage, known: KnownPaths, near: End) {
    this.#lineage = lineage;
    this.#known = known;
    this.#near = near;
    this.#far = near === "source" ? "target" : "source";
    this.#edges = new EdgesAt(lineage, near);
  }

  /** The nodes and edges that are reached from the path by transformations of the kind. */
  from(path: PathRef, kind: Kind): Found {
    const opened = new Set([nodeKey(path)]);
    const [nodes, edges] = [new Set(opened), new Set<string>()];
    const waiting = [path];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const [edge, far] of this.#steps(node, kind)) {
        edges.add(edge.key);
        nodes.add(edge[this.#near]).add(edge[this.#far]).add(nodeKey(far));
        if (!opened.has(nodeKey(far))) {
          opened.add(nodeKey(far));
          waiting.push(far);
        }
      }
    }
    return { nodes, edges };
  }

  *#steps(node: PathRef, kind: Kind): Generator<[LineageEdge, PathRef]> {
    for (const edge of this.#edges.within(node)) {
      const far = this.#lineage.nodes.get(edge[this.#far]);
      if (far && edge.transformations.some(kind)) {
        yield [edge, far];
      }
    }
    for (const [edge, length] of this.#edges.above(node)) {
      for (const far of this.#farFromAbove(edge, node.path.slice(length), kind)) {
        yield [edge, far];
      }
    }
  }

  /** Where an edge leads whose near end holds the node: what it moves keeps its relative path, by which it goes on. */
  #farFromAbove(edge: LineageEdge, relative: readonly string[], kind: Kind): PathRef[] {
    const far = this.#lineage.nodes.get(edge[this.#far]);
    const followed = edge.transformations.filter(kind);
    if (!far || followed.length === 0) {
      return [];
    }
    const [direct, indirect] = [followed.filter(isDirect), followed.some((each) => !isDirect(each))];
    const moved = direct.length > 0 && direct.every(carriesStructure);
    const ends: PathRef[] = moved ? [this.#known.under(far, relative)] : [];
    return indirect || !moved ? [...ends, far] : ends;
  }
}
