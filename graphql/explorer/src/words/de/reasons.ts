// Why something of a lineage is not known, and what to do about it, in German.
import type { REASON_WORDS as EN } from "../en/reasons";

const READ_DETAIL =
  "Die Einzelheit nennt die Stelle. Gehört sie zu einer aktuellen Version von Spark oder einer Bibliothek, melden Sie es bitte.";
const OWN_CODE =
  "Schreiben Sie den Schritt mit Sparks eigenen Funktionen, oder fragen Sie den Eigentümer des Jobs, was gelesen und zurückgegeben wird.";

export const REASON_WORDS: typeof EN = {
  WAY_LIMIT: {
    what: "Hier hat die aktive Herkunft wegen zu vieler Wege oder aus Zeitmangel angehalten: Dahinter sind auch Wege zu sehen, die Daten vielleicht nicht nehmen können.",
    remedy: "Gehen Sie mit einer der angebotenen Bedingungen weiter, oder fragen Sie nach weniger Zeilen.",
  },
  NO_LINEAGE_FACET: {
    what: "Ein Job hat keine Herkunft von Pfaden gemeldet.",
    remedy:
      "Schalten Sie die Spaltenherkunft beim Erzeuger der Ereignisse ein, oder lassen Sie den Job mit Headwaters Agenten laufen.",
  },
  UNKNOWN_RELATION: { what: "Ein Schritt eines Jobs war nicht lesbar.", remedy: READ_DETAIL },
  UNKNOWN_SOURCE: { what: "Eine Quelle war nicht lesbar.", remedy: READ_DETAIL },
  UNKNOWN_EXPRESSION: { what: "Ein Ausdruck war nicht lesbar.", remedy: READ_DETAIL },
  RDD: {
    what: "Ein Schritt unterhalb der Tabellen war nicht einsehbar.",
    remedy:
      "Verwenden Sie hier DataFrames oder lesbare Funktionen: Was sonst durch ein RDD geht, lässt sich nicht verfolgen.",
  },
  OPAQUE: { what: "Eine Funktion war nicht einsehbar.", remedy: OWN_CODE },
  PYTHON_UDF: { what: "Eine Python-Funktion war nicht einsehbar.", remedy: OWN_CODE },
  SCALA_UDF: { what: "Eine Scala-Funktion war nicht einsehbar.", remedy: OWN_CODE },
  HIVE_UDF: { what: "Eine Hive-Funktion war nicht einsehbar.", remedy: OWN_CODE },
  R_UDF: { what: "Eine R-Funktion war nicht einsehbar.", remedy: OWN_CODE },
  TYPED_OPERATION: { what: "Eine Funktion des Programms war nicht einsehbar.", remedy: OWN_CODE },
  SCRIPT: { what: "Ein Skript war nicht einsehbar.", remedy: OWN_CODE },
  DRIVER: {
    what: "Daten gingen durch ein Programm.",
    remedy:
      "Was das Programm zuvor eingesammelt hat, kann darin sein: Fragen Sie den Eigentümer des Jobs, oder verknüpfen Sie, statt einzusammeln.",
  },
  PROGRAM: {
    what: "Ein Programm schrieb Zeilen, und niemand sah, woher es sie hat.",
    remedy:
      "Fragen Sie den Eigentümer des Jobs und klassifizieren Sie, was sie enthalten. Unter headwater run notiert das Programm, welche Dateien es öffnet.",
  },
  TRUNCATED: {
    what: "Die Herkunft war zu groß und wurde gekürzt.",
    remedy: "Erhöhen Sie die Grenzen des Agenten, oder teilen Sie den Job.",
  },
  DROPPED: {
    what: "Ein Teil der Herkunft wurde nicht zugestellt.",
    remedy: "Lassen Sie den Job noch einmal laufen; das Protokoll des Agenten nennt, was verloren ging.",
  },
  ERROR: {
    what: "Die Herkunft eines Jobs war nicht lesbar.",
    remedy: "Das Protokoll des Agenten enthält den Fehler; melden Sie ihn bitte.",
  },
  SCHEMA_DRIFT: {
    what: "Ein Job liest nach einem Schema, das nicht zum Geschriebenen passt.",
    remedy: "Gleichen Sie das Schema des Lesers dem des Schreibers an.",
  },
  EARLIER_LINEAGE: {
    what: "Was ein Job früher geschrieben hat, oder ein Lauf, der fehlschlug, kann noch da sein.",
    remedy: "Ersetzen Sie den ganzen Datenbestand, oder löschen Sie ihn.",
  },
  AFTER_THE_FACT: {
    what: "Ein Sender hat nachträglich gesagt, was früher Bekanntes aufheben würde; beides ist aufgeführt.",
    remedy: "Ein Steward prüft es und nimmt es an: headwater corrections accept.",
  },
  UNDECIDED_ORIGIN: {
    what: "Niemand hat entschieden, was in einer Quelle personenbezogen ist.",
    remedy:
      "Stufen Sie die personenbezogenen Pfade ein, oder sagen Sie, dass es keine gibt: headwater classify not-personal DATASET.",
  },
  OPEN_PROPOSAL: {
    what: "Ein Pfad sieht personenbezogen aus, und niemand hat darüber entschieden.",
    remedy: "Entscheiden Sie über den Pfad: headwater classify confirm, oder headwater classify reject.",
  },
  POSSIBLE_COPY: {
    what: "Ein Datenbestand ist wahrscheinlich die Kopie eines anderen, und niemand hat darüber entschieden.",
    remedy: "Entscheiden Sie über die Kopie: headwater copies confirm, oder headwater copies refuse.",
  },
};
