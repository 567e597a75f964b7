// The words of the page in German.

import { catalogueOf } from "../catalogue";
import type { Words } from "../en/page";
import { ACTIVE } from "./active";
import { CLASSIFY } from "./classify";
import { COMPLETENESS } from "./completeness";
import { CROSSINGS } from "./crossings";
import { DRAWING_WORDS } from "./drawing";
import { FIND } from "./find";
import { FUNCTIONS } from "./functions";
import { CANVAS_WORDS } from "./picture";
import { PRIVACY } from "./privacy";
import { PROGRAM } from "./program";
import { REASON_WORDS } from "./reasons";
import { KEPT_RECORDS } from "./records";
import { RESIDENCY } from "./residency";
import { RUNS_WORDS } from "./runs";
import { TIME } from "./time";

export const de: Words = {
  title: "Headwater",
  picture: "Bild der Datenherkunft",
  miniMap: "Übersicht des Bildes",
  skip: "Zum Bild springen",
  kinds: { dataset: "Datensatz", job: "Job", group: "Gruppe", path: "Pfad", line: "Linie" },
  views: {
    picture: "Bild",
    matrix: "Matrix",
    findings: "Befunde",
    crossings: "Länder",
    classify: "Einstufen",
    runs: "Läufe",
    "dead-letters": "Unzustellbares",
  },
  levels: { PATH: "Pfade", COLUMN: "Spalten", DATASET: "Datensätze", JOB: "Jobs" },
  ways: { BOTH: "Beide Richtungen", BACKWARD: "Woher es kommt", FORWARD: "Wohin es geht" },
  level: "Ebene",
  way: "Richtung",
  depth: "Schritte",
  influences: "Einflüsse",
  wholeStore: "Alle Datensätze",
  fold: "Zuklappen:",
  unfold: "Aufklappen:",
  details: "Einzelheiten",
  close: "Schließen",
  loading: "Lädt …",
  nothing:
    "Noch ist nichts gespeichert. Senden Sie OpenLineage-Ereignisse an diesen Server, oder starten Sie die Demo.",
  namespace: "Namensraum",
  job: "Job",
  paths: "Pfade",
  comesFrom: "Kommt aus",
  goesTo: "Geht nach",
  showLineage: "Herkunft zeigen",
  notKnown: "Was nicht bekannt ist",
  cut: "Eine Grenze hat die Antwort gekürzt: Die Herkunft geht über das Gezeigte hinaus.",
  gaps: (count) => (count === 1 ? "1 Lücke in der Herkunft" : `${count} Lücken in der Herkunft`),
  limited: (shown, all) => `${shown} von ${all} Datensätzen werden gezeigt.`,
  errorTitle: "Das ging nicht",
  askedAgain: "Es wird weiter gefragt, bis eine Antwort kommt.",
  arrow: "→",
  canvas: CANVAS_WORDS,
  active: ACTIVE,
  completeness: COMPLETENESS,
  reasons: REASON_WORDS,
  menu: "Menü",
  settings: "Einstellungen",
  theme: "Aussehen",
  themes: { system: "Wie das System", light: "Hell", dark: "Dunkel" },
  language: "Sprache",
  graphiql: "GraphQL für Programmierer",
  find: FIND,
  privacy: PRIVACY,
  residency: RESIDENCY,
  crossings: CROSSINGS,
  time: TIME,
  runs: RUNS_WORDS,
  keptRecords: KEPT_RECORDS,
  classify: CLASSIFY,
  program: PROGRAM,
  functions: FUNCTIONS,
  drawing: DRAWING_WORDS,
  server: catalogueOf("de"),
};
