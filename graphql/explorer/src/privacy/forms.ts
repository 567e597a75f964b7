// The forms in which personal data occur.
import type { ExposureForm } from "../server/generated";

export type Form = ExposureForm;

/** Strongest first. */
export const FORMS: readonly Form[] = [
  "IDENTITY",
  "TRANSFORMED",
  "DERIVED",
  "PSEUDONYMISED",
  "AGGREGATED",
  "MASKED",
  "POSSIBLE",
  "INFLUENCED",
];

/** The stronger of two forms; one of them may be missing. */
export function stronger(one: Form | undefined, other: Form): Form {
  return one && FORMS.indexOf(one) <= FORMS.indexOf(other) ? one : other;
}
