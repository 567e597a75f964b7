// German words of crossings: personal data that are in other countries than where they come from.
import type { CROSSINGS as WORDS } from "../en/crossings";

export const CROSSINGS: typeof WORDS = {
  title: "Zwischen Ländern",
  about:
    "Personenbezogene Daten in einem Land, in dem ihr eigener Datensatz nicht ist, nach den Angaben der Organisation, wo Datensätze und Empfänger sind, und ob die Daten dort sein dürfen.",
  map: "Karte der Übertritte: von den Ländern links zu denen rechts",
  legend: "Übertritte nach Urteil",
  list: "Übertritte, die schwersten zuerst",
  verdicts: {
    VIOLATION: "Verstoß",
    UNKNOWN: "nicht bekannt",
    SAFEGUARDED: "abgesichert",
    ALLOWED: "erlaubt",
  },
  meaning: {
    VIOLATION: "Eine Richtlinie erlaubt diese Daten dort nicht, und keine Garantie gilt.",
    UNKNOWN: "Es ist nicht bekannt, ob diese Daten dort sein dürfen.",
    SAFEGUARDED: "Keine Richtlinie erlaubt diese Daten dort, aber Garantien gelten.",
    ALLOWED: "Die Richtlinien erlauben diese Daten dort.",
  },
  flow: (origin, to, count, verdict) =>
    `${origin} → ${to}: ${count} ${count === 1 ? "Übertritt" : "Übertritte"}, ${verdict}`,
  because: "Weil",
  safeguards: {
    adequacy: "Angemessenheitsbeschluss",
    clauses: "Standardvertragsklauseln",
    binding_rules: "verbindliche interne Datenschutzvorschriften",
  },
  safeguard: (kind, countries, since, until) =>
    `${kind} für ${countries}${since ? `, ab ${since}` : ""}${until ? `, bis ${until}` : ""}`,
  lapsed: (safeguard) => `gilt nicht: ${safeguard}`,
  none: "Kein Übertritt ist bekannt.",
  chosen: (count) => `${count} der Übertritte, die hier sind, gehören zum gewählten Fluss.`,
  showAll: "Alle zeigen",
  cut: (listed, all) => `${listed} von ${all} Übertritten sind hier.`,
  more: "Weitere Übertritte",
};
