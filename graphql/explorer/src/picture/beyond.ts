// What is beyond the sides of a card, and where the lineage goes on from there.
import { type Expansion, expansionKey } from "../lineage/expansions";
import type { Lineage } from "../lineage/graph";
import { grouped } from "../lineage/grouped";
import type { LineageNode } from "../lineage/model";
import { type DatasetRef, datasetKey, type Way } from "../lineage/names";
import type { Beyond, Card } from "./model";

type Side = Expansion["way"];

interface Asked {
  readonly way: Way;
  /** The keys of expansions, see `expansionKey`. */
  readonly expanded: ReadonlySet<string>;
}

/** What is beyond a dataset of which these nodes are shown. */
export function beyondDataset(
  dataset: DatasetRef,
  nodes: readonly LineageNode[],
  { ends }: Lineage,
  { way, expanded }: Asked,
  side: Side,
): Beyond {
  if (expanded.has(expansionKey({ ...dataset, way: side }))) {
    return "expanded";
  }
  if ((side === "BACKWARD" ? ends.before : ends.after).has(datasetKey(dataset))) {
    return "more";
  }
  const asked = (way === "BOTH" || way === side) && nodes.some(({ distance }) => searched(distance, side));
  return asked ? "end" : "unknown";
}

function searched(distance: number, side: Side): boolean {
  return side === "BACKWARD" ? distance <= 0 : distance >= 0;
}

/** The function that finds what is beyond a job: beyond the datasets that it reads, and those that it writes. */
export function beyondJobs(
  lineage: Lineage,
  asked: Asked,
  jobOf: (edge: { readonly job: DatasetRef }) => string,
): (job: string) => Pick<Card, "before" | "after" | "goesOnAt"> {
  const jobs = grouped(lineage.edges.values(), jobOf);
  return (job) => {
    const edges = jobs.get(job) ?? [];
    const before = beyondAny(lineage, asked, new Set(edges.map(({ source }) => source)), "BACKWARD");
    const after = beyondAny(lineage, asked, new Set(edges.map(({ target }) => target)), "FORWARD");
    return {
      before: before.beyond,
      after: after.beyond,
      goesOnAt: { BACKWARD: before.datasets, FORWARD: after.datasets },
    };
  };
}

const STRONGEST_FIRST: readonly Beyond[] = ["more", "expanded", "unknown"];

/** What is beyond several nodes, and those of their datasets that can be expanded, or folded again. */
function beyondAny(lineage: Lineage, asked: Asked, keys: ReadonlySet<string>, side: Side) {
  const nodes = [...keys].flatMap((key) => lineage.nodes.get(key) ?? []);
  const each = nodes.map((node) => ({ node, beyond: beyondDataset(node, [node], lineage, asked, side) }));
  const found = new Set(each.map(({ beyond }) => beyond));
  const beyond = STRONGEST_FIRST.find((one) => found.has(one)) ?? "end";
  const wanted = new Set<Beyond>(beyond === "expanded" ? ["expanded"] : ["more", "unknown"]);
  const datasets = each.filter((one) => wanted.has(one.beyond));
  return { beyond, datasets: datasets.map(({ node: { namespace, name } }) => ({ namespace, name })) };
}
