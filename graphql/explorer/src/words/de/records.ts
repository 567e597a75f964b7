// The words of the page of records, and of what the explorer says of it, in German.
import type { KEPT_RECORDS as EN, RECORDS_PAGE as EN_PAGE } from "../en/records";

export const KEPT_RECORDS: typeof EN = {
  title: "Aus welchen Datensätzen es entstand",
  why: "Das ist bei den Daten aufbewahrt. Werte kommen nie hierher: Nach ihnen wird dort gefragt, wo die Daten liegen.",
  folder: "Ordner",
  mode: "Aufbewahrt",
  modes: {
    demand: "was die Eingaben waren",
    ends: "zu jedem Datensatz die der Quellen",
    full: "die Datensätze jedes Operators",
  },
  records: "Datensätze",
  refused: "Danach lässt sich nicht fragen",
  start: "Starten Sie dort, wo die Daten liegen:",
  open: "Nach seinen Datensätzen fragen",
  elsewhere:
    "Der Link führt auf diesen Rechner, auf dem der Befehl seine Seite anbietet, wenn nichts anderes gesagt ist.",
};

export const RECORDS_PAGE: typeof EN_PAGE = {
  title: "Aus welchen Datensätzen entstand es?",
  key: "API-Schlüssel",
  output: "Ausgabe",
  pattern: "Muster",
  through: "Durch alle aufgezeichneten Jobs",
  notKnown: (file, reason) => `Wie ${file} entstand, ist nicht bekannt: ${reason}.`,
  ask: "Fragen",
  asking: "Wird gefragt …",
  found: (rows, total) => `Datensätze der Ausgabe: ${rows}, aus so vielen der Quellen: ${total}.`,
  hidden: (count) => `Nicht gezeigt: ${count}.`,
  contributes: "Trägt bei",
  influences: "Hat nur mitentschieden",
  accessed: (operators) => `gelesen von ${operators}`,
  manipulated: (operators) => `verarbeitet von ${operators}`,
  unread: (reason) => `Der Datensatz wird nicht gezeigt: ${reason}.`,
  reasons: {
    "only records of Parquet files are read": "gelesen werden nur Datensätze von Dateien in Parquet",
    "the file has no such record": "die Datei hat keinen solchen Datensatz",
    "the file was changed": "die Datei wurde geändert",
    "the file is gone": "die Datei ist nicht mehr da",
  },
  whole: "der Datensatz als Ganzes",
  noAnswer: "keine Antwort",
  language: "Sprache",
  codes: {
    UNTRACEABLE: "Datensätze lassen sich durch einen Operator nicht verfolgen",
    UNREPEATABLE: "ein weiterer Lauf ergibt etwas anderes",
    CHANGED_INPUT: "eine Eingabe ist nicht mehr, wie sie war",
    NOT_CAPTURED: "von dieser Ausgabe ist nichts aufbewahrt, oder nicht genug",
    BAD_PATTERN: "das Muster wird nicht verstanden",
    BAD_QUESTION: "die Frage lässt sich so nicht beantworten",
    FORBIDDEN: "Sie dürfen das nicht",
    UNAUTHENTICATED: "Sie sind nicht angemeldet",
  },
};
