// What a picture's strip says: whether all of the lineage is known and shown, or how much is not.
import type { Lineage } from "../lineage/graph";
import type { Words } from "../words/words";
import type { DataFlow } from "./flow_picture";
import type { Overview } from "./overview_picture";

export interface Completeness {
  /** The number of the answer's gaps. */
  readonly unknown: number;
  /** The number of datasets beyond which the lineage goes on, as the search ended there. */
  readonly beyond: number;
  /** Whether a limit cut the answer, so that more may not be known. */
  readonly cut: boolean;
}

export function completenessOf({ gaps, ends, cut }: Lineage): Completeness {
  return { unknown: gaps.length, beyond: new Set([...ends.before, ...ends.after]).size, cut };
}

/** The same of a whole store: gaps of what a limit left out are counted, too. */
export function completenessOfStore(answer: DataFlow | Overview): Completeness {
  const cut =
    "groups" in answer
      ? answer.groups.length < answer.groupCount || answer.connectionsCut
      : answer.datasets.length < answer.datasetCount;
  return { unknown: answer.gapCount, beyond: 0, cut };
}

export function isComplete({ unknown, beyond, cut }: Completeness): boolean {
  return unknown === 0 && beyond === 0 && !cut;
}

/** The strip's sentence. */
export function completenessText(known: Completeness, words: Words["completeness"]): string {
  if (isComplete(known)) {
    return words.complete;
  }
  const unknown = known.unknown > 0 ? words.unknown(known.unknown) : words.noGaps;
  return [unknown, ...(known.beyond > 0 ? [words.beyond(known.beyond)] : [])].join(" ");
}
