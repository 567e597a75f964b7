// German words of where a job's program is, and of the runs of a dataset.
import type { PROGRAM as EN } from "../en/program";

export const PROGRAM: typeof EN = {
  madeBy: "Gemacht von",
  owner: "Eigentümer",
  noOwner: "nicht angegeben",
  place: "Quelle",
  repository: "Repository",
  version: "Version",
  line: (line) => `Zeile ${line}`,
  statement: "Anweisung",
  none: "Der Job meldet nichts über sein Programm.",
  newestRuns: "Neueste Läufe",
  allRuns: "Läufe zeigen",
  failedTests: "Fehlgeschlagene Qualitätstests",
  failedTestOf: (test, dataset) => `${test} von ${dataset}`,
  runState: (state) => `Neuester Lauf: ${state}`,
};
