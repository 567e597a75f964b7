// The lineage that the server answered, joined from several answers and indexed by node.
import type { Answer } from "../server/client";
import { type JobRef, nodeKey, type PathRef } from "./names";

type Graph = Answer<"Both">["lineage"]["backward"];
export type Transformation = Graph["edges"][number]["transformations"][number];
/** Lineage that is not known, or that the answer leaves out. */
export type Gap = Graph["incomplete"][number];

export interface LineageNode extends PathRef {
  readonly key: string;
  readonly label: string;
  /** The least number of edges from the start: negative for what the start comes from. */
  readonly distance: number;
}

/** A path that another is made of, or that influences it. */
export interface LineageEdge {
  readonly key: string;
  readonly source: string;
  readonly target: string;
  readonly job: JobRef;
  readonly transformations: readonly Transformation[];
}

export interface Lineage {
  readonly nodes: ReadonlyMap<string, LineageNode>;
  readonly edges: ReadonlyMap<string, LineageEdge>;
  readonly gaps: readonly Gap[];
  /** Whether a limit cut one of the answers. */
  readonly cut: boolean;
}

export const NOTHING: Lineage = { nodes: new Map(), edges: new Map(), gaps: [], cut: false };

/** The lineage of an answer; `sign` is -1 for what the start comes from, 1 for what comes from it. */
export function lineageOf(graph: Graph, sign: -1 | 1): Lineage {
  const keys = graph.nodes.map(nodeKey);
  const nodes = graph.nodes.map((node, index): [string, LineageNode] => {
    const key = keys[index] as string;
    const { namespace, name, path, label, distance } = node;
    return [key, { key, namespace, name, path, label, distance: sign * distance }];
  });
  const edges = graph.edges.map((edge): [string, LineageEdge] => {
    const { job, transformations } = edge;
    const [source, target] = [keys[edge.source] as string, keys[edge.target] as string];
    const key = [source, target, job.namespace, job.name].join("\u0001");
    return [key, { key, source, target, job, transformations }];
  });
  return { nodes: new Map(nodes), edges: new Map(edges), gaps: graph.incomplete, cut: graph.cursor !== null };
}

/** Both lineages as one; a node has the distance of the nearer way. */
export function join(one: Lineage, other: Lineage): Lineage {
  const nodes = new Map(one.nodes);
  for (const [key, node] of other.nodes) {
    const known = nodes.get(key);
    if (!known || Math.abs(node.distance) < Math.abs(known.distance)) {
      nodes.set(key, node);
    }
  }
  const gaps = new Map([...one.gaps, ...other.gaps].map((gap) => [JSON.stringify(gap), gap]));
  return {
    nodes,
    edges: new Map([...one.edges, ...other.edges]),
    gaps: [...gaps.values()],
    cut: one.cut || other.cut,
  };
}

/** Whether the value itself flows along the edge, rather than only deciding about others. */
export function carriesValue(edge: LineageEdge): boolean {
  return edge.transformations.some((each) => each.type === "DIRECT");
}
