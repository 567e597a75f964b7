// English words of the user functions of a job.
export const FUNCTIONS = {
  title: "Functions",
  known: { ANALYSED: "read from code", DECLARED: "declared", OPAQUE: "opaque" } as Record<string, string>,
  difference: {
    UNDECLARED: "The code does it, and no declaration says so",
    NOT_DONE: "Declared, and the code does not do it",
    READABLE: "Declared as hidden, and can be read back",
  } as Record<string, string>,
  why: (_code: string, reason: string, line: number | null, hint: string | null) =>
    `${reason}${line === null ? "" : ` (line ${line})`}${hint === null ? "" : `: ${hint}`}`,
  result: "result",
  by: (steward: string) => `by ${steward}`,
  proposals: "Proposals of what functions do",
  proposalsMean:
    "A second opinion's answers; they are no lineage. The job reports what is accepted once it is configured with it: `headwater functions declarations` writes the file.",
  states: { PROPOSED: "proposed", ACCEPTED: "accepted", REFUSED: "refused" },
  verdicts: { accepted: "Accept", refused: "Refuse", reopened: "Take back" },
  decided: (by: string, day: string) => `by ${by} on ${day}`,
  check: (text: string) => text,
  readsNothing: "It is made of no argument.",
  writes: "Lines without an arrow lead to",
};
