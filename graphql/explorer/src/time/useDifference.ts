// The lineage at the earlier moment that the address names, compared with the one shown.
import { useMemo } from "react";

import type { Address } from "../app/address";
import { useLineage } from "../app/useLineage";
import type { Lineage } from "../lineage/graph";
import type { ServerError } from "../server/client";
import { type Difference, differenceOf } from "./difference";

interface Compared {
  /** The difference; null where no moment is compared with, or its lineage is not known yet. */
  readonly difference: Difference | null;
  readonly error: ServerError | null;
}

export function useDifference(address: Address, after: Lineage): Compared {
  const { since, dataset } = address;
  const earlier = useLineage({ ...address, asOf: since, dataset: since ? dataset : null });
  const arrived = [earlier.lineage, after].every(({ nodes }) => nodes.size > 0);
  const known = since !== null && !earlier.growing && arrived;
  const difference = useMemo(
    () => (known ? differenceOf(earlier.lineage, after) : null),
    [known, earlier.lineage, after],
  );
  return { difference, error: earlier.error };
}
