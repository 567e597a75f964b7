// The lineage that the address asks for: from its start, and from where the reader expanded it.
import { useMemo } from "react";

import { type Expansion, grown } from "../lineage/expansions";
import { join, type Lineage, lineageOfPages, NOTHING } from "../lineage/graph";
import { type Address, isActive } from "../page/address";
import type { ServerError, Variables } from "../server/client";
import { useAnswer, useAnswers } from "../server/useAnswer";
import { graphOf, useFurther } from "./useFurther";

export interface Asked {
  readonly lineage: Lineage;
  readonly error: ServerError | null;
  /** Whether nothing is there yet. */
  readonly loading: boolean;
  /** Whether more is on its way. */
  readonly growing: boolean;
  /** Whether the server can go on where a limit cut its answer. */
  readonly goesOn: boolean;
}

export function useLineage(address: Address): Asked {
  const { way, expanded, pages } = address;
  const active = isActive(address);
  const variables = lineageVariables(address);
  const both = useAnswer("Both", active ? null : variables);
  // Active lineage is asked for in each direction: the two together would cost more than a request may.
  const [fromBack, fromForth] = [
    useAnswer("Backward", active && way !== "FORWARD" ? variables : null),
    useAnswer("Forward", active && way !== "BACKWARD" ? variables : null),
  ];
  const starts = [both, fromBack, fromForth];
  const [back, forth] = (["BACKWARD", "FORWARD"] as const).map((each) =>
    address.dataset ? expanded.filter((one) => one.way === each) : [],
  ) as [Expansion[], Expansion[]];
  const [askedBack, askedForth] = [back, forth].map((each) => each.map(expansionVariables(address))) as [
    Variables<"Backward">[],
    Variables<"Forward">[],
  ];
  const before = useAnswers("Backward", askedBack);
  const after = useAnswers("Forward", askedForth);
  const { backward, forward } = active
    ? { backward: graphOf(fromBack.data), forward: graphOf(fromForth.data) }
    : (both.data?.lineage ?? {});
  const all = {
    before: useFurther(
      "Backward",
      [
        { variables, graph: way === "FORWARD" ? undefined : backward },
        ...before.map(({ data }, place) => ({ variables: askedBack[place] ?? null, graph: graphOf(data) })),
      ],
      pages,
    ),
    after: useFurther(
      "Forward",
      [
        { variables, graph: way === "BACKWARD" ? undefined : forward },
        ...after.map(({ data }, place) => ({ variables: askedForth[place] ?? null, graph: graphOf(data) })),
      ],
      pages,
    ),
  };
  const answers = [...starts, ...before, ...after, ...all.before.answers, ...all.after.answers];
  const arrived = answers.map((each) => each.dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `arrived` changes whenever an answer does
  const lineage = useMemo(() => {
    const [started, ...backs] = all.before.pages.map((each) => lineageOfPages(each, -1));
    const [went, ...forths] = all.after.pages.map((each) => lineageOfPages(each, 1));
    const found = [...backs, ...forths];
    const inOrder = [...back, ...forth].map((each, place) => ({ each, found: found[place] }));
    const rank = (each: Expansion) => expanded.indexOf(each);
    inOrder.sort((one, other) => rank(one.each) - rank(other.each));
    return inOrder.reduce(
      (shown, { each, found }) => (found ? grown(shown, found, each) : shown),
      join(started ?? NOTHING, went ?? NOTHING),
    );
  }, [way, active, arrived, expanded.length, pages]);
  return {
    lineage,
    error: answers.map((each) => each.error).find((each) => each !== null) ?? null,
    loading: starts.some((each) => each.isLoading),
    growing: answers.some((each) => each.isFetching),
    goesOn: [...all.before.pages, ...all.after.pages].some((each) => each.at(-1)?.cursor),
  };
}

function lineageVariables(address: Address): Variables<"Backward"> | null {
  return (
    address.dataset && {
      ...bounds(address),
      ...(isActive(address) && { where: address.where || null }),
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

function bounds(address: Address) {
  const { influences, level, asOf, mostWays } = address;
  return {
    ...(isActive(address) && { active: true, mostWays }),
    types: influences ? (["DIRECT", "INDIRECT"] as const) : (["DIRECT"] as const),
    level: level === "JOB" ? ("DATASET" as const) : level,
    asOf,
  };
}
