// The words of active lineage in English.
export const ACTIVE = {
  only: "By conditions",
  title: "Tell ways that no data can take, by the conditions of jobs, from the others.",
  pathsOnly: "There is active lineage of paths only.",
  form: "Active lineage",
  where: (dataset: string) => `Only rows of ${dataset} where`,
  example: "country = 'US'",
  mostWays: "Stop after",
  ways: "ways",
  ask: "Ask",
  effects: "What the conditions do",
  excludes: (all: number | null) =>
    all === null
      ? "what it excludes is not known"
      : all === 0
        ? "has no effect"
        : all === 1
          ? "excludes 1 way"
          : `excludes ${all} ways`,
  noneNear: "and none of those up to the next fork",
  pruned: "No data can take this way",
  behind: "Only ways that no data can take lead here.",
  undecided: "Whether data can take this way was not decided in time.",
  stopped: (way: "BACKWARD" | "FORWARD", ways: number) =>
    `${way === "BACKWARD" ? "Where it comes from" : "Where it goes"}: stopped after ${ways} ${ways === 1 ? "way" : "ways"}. Beyond, nothing is left out.`,
  at: (places: string) => `Stopped at ${places}.`,
  choose: "Go on with a condition:",
  does: (keeps: number, ends: number) => `keeps ${keeps} of ${keeps + ends} ways`,
  noChoice: "No condition that was met tells the ways there apart.",
  goOn: "Go on",
  record: {
    title: "Sources of one record",
    hint: "Which sources does one record have all of its values from?",
    choose: "Its values at",
    all: "A source of all",
    alone: (path: string) => `Of ${path} alone`,
    none: "No source has a value for all of them.",
    hasNone: (path: string) => `${path} has no source: a constant, or no row can bring it.`,
    anyRow: "all rows",
  },
  note: (where: string) =>
    where
      ? `Of the rows where ${where}; no data can take the ways with a cross.`
      : "No data can take the ways with a cross.",
};
