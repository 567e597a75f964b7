// Datasets beyond which a reader follows the lineage further.
import { join, type Lineage } from "./graph";
import type { LineageNode } from "./model";
import { type DatasetRef, datasetKey, type Way } from "./names";
import { isAny, Ways } from "./walk";

export interface Expansion extends DatasetRef {
  readonly way: Exclude<Way, "BOTH">;
  /** The number of edges from the dataset. */
  readonly depth: number;
}

export function expansionKey({ namespace, name, way }: Omit<Expansion, "depth">): string {
  return `${way} ${datasetKey({ namespace, name })}`;
}

export function writeExpansion({ way, depth, namespace, name }: Expansion): string {
  return JSON.stringify([way.toLowerCase(), depth, namespace, name]);
}

/** The expansion of a text as `writeExpansion` makes it; null of any other. */
export function readExpansion(text: string): Expansion | null {
  try {
    const [way, depth, namespace, name] = JSON.parse(text) as unknown[];
    const known = way === "backward" || way === "forward";
    const named = typeof namespace === "string" && typeof name === "string";
    const counted = typeof depth === "number" && Number.isInteger(depth) && depth > 0;
    return known && named && counted
      ? { way: way === "backward" ? "BACKWARD" : "FORWARD", depth, namespace, name }
      : null;
  } catch {
    return null;
  }
}

/**
 * The lineage with more of it beyond a dataset: what is reached from those paths of the dataset that are shown. What no
 * data of the start can take stays so, whatever other data of that dataset can take.
 */
export function grown(lineage: Lineage, answer: Lineage, from: Expansion): Lineage {
  const more = {
    ...answer,
    edges: new Map([...answer.edges, ...answer.pruned].filter(([edge]) => !lineage.pruned.has(edge))),
  };
  const key = datasetKey(from);
  const shown = [...lineage.nodes.values()].filter((node) => datasetKey(node) === key);
  const near = from.way === "BACKWARD" ? "target" : "source";
  const reached = new Ways(more, near).from(shown, isAny);
  const edges = [...more.edges].filter(([edge]) => reached.edges.has(edge));
  const kept = new Set(edges.flatMap(([, edge]) => [edge.source, edge.target]));
  const nearest = shown.length > 0 ? shown.reduce(closer, Number.POSITIVE_INFINITY) : 0;
  const nodes = [...more.nodes]
    .filter(([node]) => kept.has(node))
    .map(([node, found]): [string, LineageNode] => [node, { ...found, distance: nearest + found.distance }]);
  const datasets = new Set(nodes.map(([, node]) => datasetKey(node)));
  // A gap at a dataset to which no edge leads may be behind any of those shown.
  const known = new Set([...more.nodes.values()].map(datasetKey));
  const within = (ends: ReadonlySet<string>) => new Set([...ends].filter((each) => datasets.has(each)));
  return join(lineage, {
    nodes: new Map(nodes),
    edges: new Map(edges.filter(([edge]) => answer.edges.has(edge))),
    pruned: new Map(edges.filter(([edge]) => answer.pruned.has(edge))),
    effects: [],
    stops: [],
    gaps: more.gaps.filter((gap) => datasets.has(datasetKey(gap)) || !known.has(datasetKey(gap))),
    ends: { before: within(more.ends.before), after: within(more.ends.after) },
    cut: more.cut,
  });
}

function closer(nearest: number, { distance }: LineageNode): number {
  return Math.abs(distance) < Math.abs(nearest) ? distance : nearest;
}
