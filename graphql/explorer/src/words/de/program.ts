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
  split: {
    title: "Aufgeteilt an der Grenze von Regionen",
    leastGroup: (size) => `Eine Gruppe verlässt eine Region ab ${size} Zeilen oder Personen.`,
    noLeastGroup: "Keine kleinste Gruppe ist angegeben: Gruppen einer einzigen Person verlassen die Region.",
    statement: "Anweisung",
    where: "Wo",
    because: "Weil",
    back: "Geht zurück in die Regionen",
    sides: {
      inside: "In jeder Region",
      boundary: "Über die Grenze",
      outside: "Außen",
      anywhere: "Überall gleich",
    },
  },
  runState: (state) => `Neuester Lauf: ${state}`,
};
