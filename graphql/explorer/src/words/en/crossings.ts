// English words of crossings: personal data that are in other countries than where they come from.
export const CROSSINGS = {
  title: "Between countries",
  about:
    "Personal data in a country in which their own dataset is not, as the organisation states where datasets and recipients are, and whether the data may be there.",
  map: "Map of crossings: from the countries on the left to those on the right",
  legend: "Crossings by verdict",
  list: "Crossings, the gravest first",
  verdicts: {
    VIOLATION: "violation",
    UNKNOWN: "not known",
    SAFEGUARDED: "safeguarded",
    ALLOWED: "allowed",
  },
  meaning: {
    VIOLATION: "A policy does not permit these data there, and no safeguard is in force.",
    UNKNOWN: "It is not known whether these data may be there.",
    SAFEGUARDED: "No policy permits these data there, but safeguards are in force.",
    ALLOWED: "The policies permit these data there.",
  },
  flow: (origin: string, to: string, count: number, verdict: string) =>
    `${origin} → ${to}: ${count} ${count === 1 ? "crossing" : "crossings"}, ${verdict}`,
  because: "Because",
  safeguards: {
    adequacy: "adequacy decision",
    clauses: "standard contractual clauses",
    binding_rules: "binding corporate rules",
  },
  safeguard: (kind: string, countries: string, since: string | null, until: string | null) =>
    `${kind} for ${countries}${since ? `, from ${since}` : ""}${until ? `, until ${until}` : ""}`,
  lapsed: (safeguard: string) => `not in force: ${safeguard}`,
  none: "No crossing is known.",
  chosen: (count: number) => `${count} of the crossings that are here belong to the chosen flow.`,
  showAll: "Show all",
  cut: (listed: number, all: number) => `${listed} of ${all} crossings are here.`,
  more: "More crossings",
};
