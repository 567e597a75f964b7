// The lineage that the server answered, joined from several answers and indexed by node.
import type { Answer } from "../server/client";
import { datasetKey, type JobRef, nodeKey, type PathRef } from "./names";

export type Graph = Answer<"Both">["lineage"]["backward"];
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

/** The keys of datasets beyond which the lineage goes on, as the search ended there. */
export interface Ends {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

export interface Lineage {
  readonly nodes: ReadonlyMap<string, LineageNode>;
  readonly edges: ReadonlyMap<string, LineageEdge>;
  readonly gaps: readonly Gap[];
  readonly ends: Ends;
  /** Whether a limit cut one of the answers. */
  readonly cut: boolean;
}

/** Reasons that are not gaps of what is known, but ends of what was asked for. */
const BOUNDS = new Set(["DEPTH", "NODE_LIMIT", "TIME_LIMIT", "FILTER", "STOP"]);
const LIMITS = new Set(["NODE_LIMIT", "TIME_LIMIT"]);

export const NOTHING: Lineage = {
  nodes: new Map(),
  edges: new Map(),
  gaps: [],
  ends: { before: new Set(), after: new Set() },
  cut: false,
};

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
  const ends = new Set(graph.incomplete.filter((gap) => BOUNDS.has(gap.reason)).map(datasetKey));
  return {
    nodes: new Map(nodes),
    edges: new Map(edges),
    gaps: graph.incomplete.filter((gap) => !BOUNDS.has(gap.reason)),
    ends: { before: sign < 0 ? ends : new Set(), after: sign > 0 ? ends : new Set() },
    cut: graph.cursor !== null || graph.incomplete.some((gap) => LIMITS.has(gap.reason)),
  };
}

/** The lineage of all pages of an answer: the last one says what is not known, and whether there is more. */
export function lineageOfPages(pages: readonly Graph[], sign: -1 | 1): Lineage {
  const each = pages.map((page) => lineageOf(page, sign));
  const { gaps, ends, cut } = each.at(-1) ?? NOTHING;
  return { ...each.reduce(join, NOTHING), gaps, ends, cut };
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
    ends: {
      before: new Set([...one.ends.before, ...other.ends.before]),
      after: new Set([...one.ends.after, ...other.ends.after]),
    },
    cut: one.cut || other.cut,
  };
}

/** Whether the value itself flows along the edge, rather than only deciding about others. */
export function carriesValue(edge: LineageEdge): boolean {
  return edge.transformations.some((each) => each.type === "DIRECT");
}
