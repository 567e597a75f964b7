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
};
