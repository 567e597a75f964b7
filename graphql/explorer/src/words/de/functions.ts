// German words of the user functions of a job.
import type { FUNCTIONS as EN } from "../en/functions";

export const FUNCTIONS: typeof EN = {
  title: "Funktionen",
  known: { ANALYSED: "aus dem Code gelesen", DECLARED: "deklariert", OPAQUE: "undurchsichtig" },
  difference: {
    UNDECLARED: "Der Code tut es, und keine Deklaration sagt es",
    NOT_DONE: "Deklariert, und der Code tut es nicht",
    READABLE: "Als verborgen deklariert, und doch zurückzulesen",
  },
  why: (reason, line, hint) =>
    `${reason}${line === null ? "" : ` (Zeile ${line})`}${hint === null ? "" : `: ${hint}`}`,
  result: "Ergebnis",
};
