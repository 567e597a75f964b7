// The lineage that the address asks for: from its start, and from where the reader expanded it.
import { useMemo } from "react";

import { type Expansion, grown } from "../lineage/expansions";
import { join, type Lineage, lineageOf, NOTHING } from "../lineage/graph";
import type { Answer, ServerError, Variables } from "../server/client";
import { useAnswer, useAnswers } from "../server/useAnswer";
import type { Address } from "./address";

export interface Asked {
  readonly lineage: Lineage;
  readonly error: ServerError | null;
  /** Whether nothing is there yet. */
  readonly loading: boolean;
  /** Whether more is on its way. */
  readonly growing: boolean;
}

export function useLineage(address: Address): Asked {
  const asked = useAnswer("Both", lineageVariables(address));
  const [back, forth] = (["BACKWARD", "FORWARD"] as const).map((way) =>
    address.dataset ? address.expanded.filter((each) => each.way === way) : [],
  ) as [Expansion[], Expansion[]];
  const before = useAnswers("Backward", back.map(expansionVariables(address)));
  const after = useAnswers("Forward", forth.map(expansionVariables(address)));
  const more = [
    ...before.map(({ data }) => data && lineageOf(data.backwardLineage, -1)),
    ...after.map(({ data }) => data && lineageOf(data.forwardLineage, 1)),
  ];
  const arrived = [...before, ...after].map((each) => each.dataUpdatedAt).join();
  const { way, expanded } = address;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `arrived` changes whenever `more` holds something else
  const lineage = useMemo(() => {
    const start = lineageOfAnswer(asked.data, way);
    const inOrder = [...back, ...forth].map((each, index) => ({ each, found: more[index] }));
    const rank = (each: Expansion) => expanded.indexOf(each);
    inOrder.sort((one, other) => rank(one.each) - rank(other.each));
    return inOrder.reduce((shown, { each, found }) => (found ? grown(shown, found, each) : shown), start);
  }, [asked.data, way, arrived, expanded.length]);
  const all = [asked, ...before, ...after];
  return {
    lineage,
    error: all.map((each) => each.error).find((each) => each !== null) ?? null,
    loading: asked.isLoading,
    growing: all.some((each) => each.isFetching),
  };
}

function lineageVariables(address: Address): Variables<"Both"> | null {
  return (
    address.dataset && {
      ...bounds(address),
      node: { ...address.dataset, path: address.path },
      depth: address.depth,
    }
  );
}

function expansionVariables(address: Address) {
  return ({ namespace, name, depth }: Expansion): Variables<"Backward"> => ({
    ...bounds(address),
    node: { namespace, name, path: [] },
    depth,
  });
}

function bounds({ influences, level, asOf }: Address) {
  return {
    types: influences ? (["DIRECT", "INDIRECT"] as const) : (["DIRECT"] as const),
    level: level === "JOB" ? ("DATASET" as const) : level,
    asOf,
  };
}

function lineageOfAnswer(answer: Answer<"Both"> | undefined, way: Address["way"]): Lineage {
  if (!answer) {
    return NOTHING;
  }
  const { backward, forward } = answer.lineage;
  const back = way === "FORWARD" ? NOTHING : lineageOf(backward, -1);
  return way === "BACKWARD" ? back : join(back, lineageOf(forward, 1));
}
