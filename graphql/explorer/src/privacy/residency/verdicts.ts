// Whether the personal data of datasets may be in their countries: the verdicts on their categories as one.
import { type DatasetRef, datasetKey } from "../../lineage/names";
import type { Answer } from "../../server/client";
import type { ResidencyVerdict } from "../../server/generated";

export type Resident = Answer<"Residency">["residency"]["edges"][number]["node"];

/** What a card says of its data. */
export interface CardResidency {
  readonly verdict: ResidencyVerdict;
  /** The stated countries, those that are not permitted first. */
  readonly countries: readonly string[];
}

export const SIGNS: Readonly<Record<ResidencyVerdict, string>> = {
  WITHIN: "✓",
  OUTSIDE: "✕",
  NOT_KNOWN: "?",
};

/** The worst verdict first: what is outside is certain, whatever else is not known. */
const WORST_FIRST: readonly ResidencyVerdict[] = ["OUTSIDE", "NOT_KNOWN", "WITHIN"];

/** The verdict on all categories together; undefined without any. */
export function together(residents: readonly Resident[]): CardResidency | undefined {
  const verdict = WORST_FIRST.find((each) => residents.some((resident) => resident.verdict === each));
  if (verdict === undefined) {
    return undefined;
  }
  const outside = residents.flatMap((each) => each.outside);
  const stated = residents.flatMap((each) => each.countries).sort();
  return { verdict, countries: [...new Set([...outside.sort(), ...stated])] };
}

/** Whether anything is stated from which the answer could follow: cards have no marks of a question that nobody asks. */
export function isAsked(residents: readonly Resident[]): boolean {
  return residents.some((each) => each.policies.length > 0 || each.countries.length > 0);
}

/** The residents of whole datasets: where the answer is cut, those of the last one may be missing. */
export function ofWholeDatasets(residents: readonly Resident[], cut: boolean): readonly Resident[] {
  const last = residents.at(-1);
  return cut && last ? residents.filter((each) => !isIn(last.dataset)(each)) : residents;
}

export function isIn(dataset: DatasetRef): (resident: Resident) => boolean {
  return (resident) => datasetKey(resident.dataset) === datasetKey(dataset);
}
