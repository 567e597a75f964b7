// The lineage at the earlier moment that the address names, compared with the one shown.
import { useMemo } from "react";
import { useLineage } from "../answers/useLineage";
import { join, type Lineage } from "../lineage/graph";
import { type Address, MOST_DEPTH } from "../page/address";
import type { ServerError } from "../server/client";
import { type Difference, differenceOf } from "./difference";

interface Compared {
  /** The difference; null where no moment is compared with, or its lineage is not known yet. */
  readonly difference: Difference | null;
  readonly error: ServerError | null;
}

/** Both moments are compared over all steps, whatever is shown of them. */
export function useDifference(address: Address, after: Lineage): Compared {
  const { since, dataset } = address;
  const of = since ? dataset : null;
  const earlier = useLineage({ ...address, asOf: since, dataset: of });
  const whole = { ...address, dataset: of, depth: MOST_DEPTH, expanded: [] };
  const [wholeBefore, wholeAfter] = [useLineage({ ...whole, asOf: since }), useLineage(whole)];
  const all = [earlier, wholeBefore, wholeAfter];
  const arrived = [...all.map(({ lineage }) => lineage), after].every(({ nodes }) => nodes.size > 0);
  const known = since !== null && all.every(({ growing }) => !growing) && arrived;
  const [before, later] = [wholeBefore.lineage, wholeAfter.lineage];
  const difference = useMemo(
    () =>
      known
        ? differenceOf(
            withShown(before, earlier.lineage),
            withShown(later, after),
            join(after, earlier.lineage),
          )
        : null,
    [known, before, later, earlier.lineage, after],
  );
  return { difference, error: all.map(({ error }) => error).find((error) => error !== null) ?? null };
}

/** The whole lineage, also where a limit cut it before what is shown. */
function withShown(whole: Lineage, shown: Lineage): Lineage {
  const { gaps, ends, cut } = whole;
  return { ...join(whole, shown), gaps, ends, cut };
}
