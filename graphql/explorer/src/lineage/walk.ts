// The ways through a lineage in one direction, aware of what paths are nested in, as the server's search is.
import type { Lineage } from "./graph";
import { carriesStructure, EdgesAt, type End, KnownPaths } from "./meeting";
import type { LineageEdge, Transformation } from "./model";
import { nodeKey, type PathRef } from "./names";

export interface Found {
  /** The keys of the nodes on the way, those of the start among them. */
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

export type Kind = (transformation: Transformation) => boolean;

export const isDirect: Kind = ({ type }) => type === "DIRECT";
export const isAny: Kind = () => true;

/** Walks from the near ends of edges to their far ends: from targets, backward; from sources, forward. */
export class Ways {
  readonly #lineage: Lineage;
  readonly #known: KnownPaths;
  readonly #near: End;
  readonly #far: End;
  readonly #edges: EdgesAt;

  constructor(lineage: Lineage, near: End) {
    this.#lineage = lineage;
    this.#known = new KnownPaths(lineage.nodes);
    this.#near = near;
    this.#far = near === "source" ? "target" : "source";
    this.#edges = new EdgesAt(lineage, near);
  }

  /** The nodes and edges that are reached from the paths by transformations of the kind. */
  from(paths: readonly PathRef[], kind: Kind): Found {
    const opened = new Set(paths.map(nodeKey));
    const [nodes, edges] = [new Set(opened), new Set<string>()];
    const waiting = [...paths];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const [edge, far] of this.#steps(node, kind)) {
        const key = nodeKey(far);
        edges.add(edge.key);
        nodes.add(edge[this.#near]).add(edge[this.#far]).add(key);
        if (!opened.has(key)) {
          opened.add(key);
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
