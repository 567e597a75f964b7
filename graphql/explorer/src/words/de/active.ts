// The words of active lineage in German.
import type { ACTIVE as EN } from "../en/active";

export const ACTIVE: typeof EN = {
  only: "Nach Bedingungen",
  title: "Wege, die wegen der Bedingungen der Jobs keine Daten nehmen können, von den anderen unterscheiden.",
  pathsOnly: "Aktive Herkunft gibt es nur von Pfaden.",
  form: "Aktive Herkunft",
  where: (dataset) => `Nur Zeilen von ${dataset} mit`,
  example: "country = 'US'",
  mostWays: "Anhalten nach",
  ways: "Wegen",
  ask: "Fragen",
  effects: "Was die Bedingungen bewirken",
  excludes: (all) =>
    all === null
      ? "was sie ausschließt, ist nicht bekannt"
      : all === 0
        ? "bewirkt nichts"
        : all === 1
          ? "schließt 1 Weg aus"
          : `schließt ${all} Wege aus`,
  noneNear: "und keinen bis zur nächsten Gabelung",
  pruned: "Diesen Weg können keine Daten nehmen",
  behind: "Hierher führen nur Wege, die keine Daten nehmen können.",
  undecided: "Ob Daten diesen Weg nehmen können, wurde in der Zeit nicht entschieden.",
  stopped: (way, ways) =>
    `${way === "BACKWARD" ? "Woher es kommt" : "Wohin es geht"}: nach ${ways} ${ways === 1 ? "Weg" : "Wegen"} angehalten. Dahinter ist nichts weggelassen.`,
  at: (places) => `Angehalten bei ${places}.`,
  choose: "Mit einer Bedingung weitergehen:",
  does: (keeps, ends) => `lässt ${keeps} von ${keeps + ends} Wegen`,
  noChoice: "Keine der Bedingungen unterwegs unterscheidet die Wege dort.",
  goOn: "Weiter",
  record: {
    title: "Quellen eines Datensatzes",
    hint: "Aus welchen Quellen hat ein Datensatz alle seine Werte?",
    choose: "Seine Werte bei",
    all: "Eine Quelle von allen",
    alone: (path) => `Nur von ${path}`,
    none: "Keine Quelle hat für alle einen Wert.",
    hasNone: (path) => `${path} hat keine Quelle: eine Konstante, oder keine Zeile kann es bringen.`,
    anyRow: "alle Zeilen",
  },
  note: (where) =>
    where
      ? `Für die Zeilen mit ${where}; Wege mit Kreuz können keine Daten nehmen.`
      : "Wege mit Kreuz können keine Daten nehmen.",
};
