// The nodes and edges of a lineage, as the server answers them and as the page has them.
import type { Answer } from "../server/client";
import type { JobRef, PathRef } from "./names";

type Plain = Answer<"Both">["lineage"]["backward"];
type OneWay = Answer<"Backward">["backwardLineage"];

export type Graph = Plain & Partial<Active>;
/** What active lineage alone has. */
interface Active extends Pick<OneWay, "undecided" | "effects" | "stopped"> {
  readonly pruned: readonly Pruned[];
}
/** An edge that no data can take, as it is answered. */
export type Pruned = Omit<OneWay["pruned"][number], "proofs">;
export type Transformation = Graph["edges"][number]["transformations"][number];
/** Lineage that is not known, or that the answer leaves out. */
export type Gap = Graph["incomplete"][number];
/** What a condition on the rows of the start excludes. */
export type Effect = Active["effects"][number];
export type Stopped = NonNullable<Active["stopped"]>;

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
  /** Of one that no data can take: why, in each case; empty where only others like it lead there. */
  readonly because?: readonly string[];
  /** Whether it is not known if data can take it, for lack of time. */
  readonly undecided?: true;
}

/** The key of the edge between two nodes. */
export function edgeKey(source: string, target: string, job: JobRef): string {
  return [source, target, job.namespace, job.name].join("\u0001");
}
