// The lineage that the server answered, joined from several answers and indexed by node.
import { type Effect, edgeKey, type Gap, type Graph, type LineageEdge, type LineageNode } from "./model";
import { datasetKey, nodeKey } from "./names";
import { joinedEffects, nodesBeyond, prunedOf, type Stop, stopOf } from "./pruned";

/** The keys of datasets beyond which the lineage goes on, as the search ended there. */
export interface Ends {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

export interface Lineage {
  readonly nodes: ReadonlyMap<string, LineageNode>;
  readonly edges: ReadonlyMap<string, LineageEdge>;
  /** The edges that no data can take: active lineage has them apart. Their ends are among the nodes. */
  readonly pruned: ReadonlyMap<string, LineageEdge>;
  readonly effects: readonly Effect[];
  /** Where active lineage stopped because of too many ways. */
  readonly stops: readonly Stop[];
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
  pruned: new Map(),
  effects: [],
  stops: [],
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
  const { pruned = [], effects = [], stopped } = graph;
  const undecided = new Set(
    graph.undecided?.map(({ source, target, job }) => edgeKey(nodeKey(source), nodeKey(target), job)),
  );
  const edges = graph.edges.map((edge): [string, LineageEdge] => {
    const { job, transformations } = edge;
    const [source, target] = [keys[edge.source] as string, keys[edge.target] as string];
    const key = edgeKey(source, target, job);
    const found = { key, source, target, job, transformations };
    return [key, undecided.has(key) ? { ...found, undecided: true } : found];
  });
  const ends = new Set(graph.incomplete.filter((gap) => BOUNDS.has(gap.reason)).map(datasetKey));
  return {
    nodes: new Map([...nodesBeyond(pruned, new Map(nodes), sign), ...nodes]),
    edges: new Map(edges),
    pruned: new Map(prunedOf(pruned)),
    effects,
    stops: stopped ? [stopOf(stopped, sign)] : [],
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

/** Both lineages as one; a node has the distance of the nearer way, and what data can take in one of them is taken. */
export function join(one: Lineage, other: Lineage): Lineage {
  const nodes = new Map(one.nodes);
  for (const [key, node] of other.nodes) {
    const known = nodes.get(key);
    if (!known || Math.abs(node.distance) < Math.abs(known.distance)) {
      nodes.set(key, node);
    }
  }
  const gaps = new Map([...one.gaps, ...other.gaps].map((gap) => [JSON.stringify(gap), gap]));
  const edges = new Map([...one.edges, ...other.edges]);
  return {
    nodes,
    edges,
    pruned: new Map([...one.pruned, ...other.pruned].filter(([key]) => !edges.has(key))),
    effects: joinedEffects(one.effects, other.effects),
    stops: [...one.stops, ...other.stops],
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
