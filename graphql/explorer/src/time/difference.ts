// The difference of a lineage at two moments: what came, what went, and what is made in another way.
import { join, type Lineage, type LineageEdge, type LineageNode } from "../lineage/graph";

export type Mark = "added" | "gone" | "changed";

export const SIGNS: Readonly<Record<Mark, string>> = { added: "+", gone: "−", changed: "≠" };

export interface ChangedEdge {
  readonly mark: Mark;
  /** The edge at the later moment; for one that is gone, at the earlier moment. */
  readonly edge: LineageEdge;
  /** The edge at the earlier moment, if it was there. */
  readonly before: LineageEdge | null;
}

export interface Difference {
  /** The lineage of both moments as one. */
  readonly both: Lineage;
  /** Marks of nodes that are there at one of the moments only. */
  readonly nodes: ReadonlyMap<string, Mark>;
  readonly edges: ReadonlyMap<string, ChangedEdge>;
  /** Whether something is not known at one of the moments, so that what looks new or gone may not be. */
  readonly doubtful: boolean;
}

export function differenceOf(before: Lineage, after: Lineage): Difference {
  const edges = [...changedEdges(before, after)];
  return {
    both: join(after, before),
    nodes: new Map([...missing(after, before, "added"), ...missing(before, after, "gone")]),
    edges: new Map(edges.map((change) => [change.edge.key, change])),
    doubtful: [before, after].some((lineage) => lineage.cut || lineage.gaps.length > 0),
  };
}

/** The nodes of a difference, by dataset and path. */
export function changedNodes({ both, nodes }: Difference): { node: LineageNode; mark: Mark }[] {
  return [...nodes].flatMap(([key, mark]) => {
    const node = both.nodes.get(key);
    return node ? [{ node, mark }] : [];
  });
}

function* missing(has: Lineage, lacks: Lineage, mark: Mark): Generator<[string, Mark]> {
  for (const key of has.nodes.keys()) {
    if (!lacks.nodes.has(key)) {
      yield [key, mark];
    }
  }
}

function* changedEdges(before: Lineage, after: Lineage): Generator<ChangedEdge> {
  for (const edge of after.edges.values()) {
    const earlier = before.edges.get(edge.key) ?? null;
    if (!earlier) {
      yield { mark: "added", edge, before: null };
    } else if (howOf(earlier) !== howOf(edge)) {
      yield { mark: "changed", edge, before: earlier };
    }
  }
  for (const edge of before.edges.values()) {
    if (!after.edges.has(edge.key)) {
      yield { mark: "gone", edge, before: edge };
    }
  }
}

/** How an edge makes its value, as text that does not depend on the order of its transformations. */
function howOf({ transformations }: LineageEdge): string {
  const each = transformations.map(({ type, subtype, masking, manipulation, access }) =>
    JSON.stringify([type, subtype, masking, manipulation, access]),
  );
  return each.sort().join();
}
