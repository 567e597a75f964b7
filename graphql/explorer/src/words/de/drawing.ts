// The words of drawings in German.
import { catalogueOf } from "../catalogue";

import type { DrawingWords } from "../en/drawing";
import { PRIVACY } from "./privacy";
import { TIME } from "./time";

export const DRAWING_WORDS: DrawingWords = {
  marks: TIME.marks,
  forms: PRIVACY.forms,
  letters: PRIVACY.letters,
  takeAway: "Mitnehmen",
  download: "Herunterladen",
  copy: "Kopieren",
  formats: { svg: "SVG", png: "PNG", pdf: "PDF", mmd: "Mermaid-Text", dot: "DOT-Text" },
  link: "Link zu diesem Bild",
  query: "GraphQL-Abfrage",
  curl: "curl-Befehl",
  copied: "Kopiert.",
  saved: (file) => `${file} wurde gespeichert.`,
  failed: (why) => `Das ging nicht: ${why}`,
  all: "Alle Datensätze",
  lineageOf: (name) => `Herkunft von ${name}`,
  steps: (count) => (count === 1 ? "1 Schritt" : `bis zu ${count} Schritte`),
  levels: { PATH: "Pfade", COLUMN: "Spalten", DATASET: "Datensätze", JOB: "Jobs" },
  ways: {
    BOTH: "woher es kommt und wohin es geht",
    BACKWARD: "woher es kommt",
    FORWARD: "wohin es geht",
  },
  asOf: (moment) => `Stand: ${moment}`,
  value: "Wert",
  influence: "Einfluss (Filter, Join, Gruppierung …)",
  litValue: "Wert auf dem Weg des gewählten Pfads",
  litInfluence: "Einfluss auf diesem Weg",
  pruned: "Weg, den keine Daten nehmen können",
  gap: "nicht bekannt",
  gaps: (count) => (count === 1 ? "1 Lücke in der Herkunft" : `${count} Lücken in der Herkunft`),
  inGroup: (count) => (count === 1 ? "1 Datensatz" : `${count} Datensätze`),
  moreRows: (count) => (count === 1 ? "1 weiterer Pfad" : `${count} weitere Pfade`),
  detail: catalogueOf("de").detail,
};
