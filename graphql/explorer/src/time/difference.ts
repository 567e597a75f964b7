// The difference of a lineage at two moments: what came, what went, and what is made in another way.
import { join, type Lineage } from "../lineage/graph";
import type { LineageEdge, LineageNode } from "../lineage/model";

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
  /** What is shown of the lineage of both moments, as one. */
  readonly both: Lineage;
  /** The lineage of both moments as one, as far as it is known. */
  readonly all: Lineage;
  /** Marks of nodes that are there at one of the moments only, and of those that other edges lead to. */
  readonly nodes: ReadonlyMap<string, Mark>;
  readonly edges: ReadonlyMap<string, ChangedEdge>;
  /** Whether something is not known at one of the moments, so that what looks new or gone may not be. */
  readonly doubtful: boolean;
}

/**
 * The difference of two whole lineages, of which `shown` is drawn. What is drawn may end sooner: a path that is beyond
 * its last step at one moment, and before it at the other, is neither new nor gone.
 */
export function differenceOf(before: Lineage, after: Lineage, shown = join(after, before)): Difference {
  const edges = new Map([...changedEdges(before, after)].map((change) => [change.edge.key, change]));
  const all = join(after, before);
  const made = new Set([...edges.values()].map(({ edge }) => edge.target));
  const changed = [...all.nodes.keys()]
    .filter((key) => made.has(key))
    .map((key) => [key, "changed"] as const);
  return {
    both: shown,
    all,
    nodes: new Map([...changed, ...missing(after, before, "added"), ...missing(before, after, "gone")]),
    edges,
    doubtful: [before, after].some(isDoubtful),
  };
}

function isDoubtful({ cut, gaps, ends }: Lineage): boolean {
  return cut || gaps.length > 0 || ends.before.size > 0 || ends.after.size > 0;
}

/** The nodes of a difference, by dataset and path. */
export function changedNodes({ all, nodes }: Difference): { node: LineageNode; mark: Mark }[] {
  return [...all.nodes.values()].flatMap((node) => {
    const mark = nodes.get(node.key);
    return mark ? [{ node, mark }] : [];
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
