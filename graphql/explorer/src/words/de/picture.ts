// The words of the picture in German.
import type { CANVAS_WORDS as EN } from "../en/picture";

export const CANVAS_WORDS: typeof EN = {
  name: "Name",
  allSteps: "Alle",
  oneStep: "Ein Schritt",
  soFar: (shown) => `${shown} Pfade und Datensätze werden gezeigt; wie viele fehlen, ist nicht bekannt.`,
  showMore: "Mehr zeigen",
  mostOfFlow: (most) => `Höchstens ${most} werden aufgeführt: Suchen Sie andere über ihre Namen.`,
  goOn: "Das + an der Seite einer Karte geht von dort weiter.",
  choices: "Auswahl",
  group: "Gruppen",
  groups: { none: "Keine", namespace: "Nach Namensraum", owner: "Nach Eigentümer" },
  autoGroup: (now) => `Automatisch (${now})`,
  inGroup: (datasets) => `${datasets} Datensätze`,
  closed: "Name für Sie nicht sichtbar",
  openGroup: "Öffnen",
  wholePicture: "Das ganze Bild zeigen",
  closeGroup: (name) => `${name} schließen`,
  foldedByItself: (groups) =>
    `Dieser Bestand ist groß: Er ist nach Namensraum in ${groups} Gruppen zusammengefasst.`,
  inGroups: (datasets, groups, alone) =>
    `Alle ${datasets} Datensätze, in ${groups === 1 ? "einer Gruppe" : `${groups} Gruppen`}${alone > 0 ? ` und ${alone} einzeln` : ""}.`,
  limitedGroups: (shown, all) =>
    `${shown} von ${all} Gruppen und Datensätzen werden gezeigt, die größten zuerst.`,
  limitedConnections:
    "Die Verbindungen der wenigsten Jobs sind weggelassen: Öffnen Sie weniger Gruppen, um sie zu sehen.",
  exposedInGroup: (datasets) => `${datasets} davon enthalten bekanntermaßen personenbezogene Daten`,
  jobsBetween: (jobs) =>
    jobs === 1
      ? "Ein Job liest in der einen und schreibt in der anderen:"
      : `${jobs} Jobs lesen in der einen und schreiben in der anderen, darunter:`,
  unfoldAll: "Alle Datensätze zeigen",
  expand: {
    before: (title) => `Zeigen, woher ${title} kommt`,
    after: (title) => `Zeigen, wohin ${title} geht`,
    fold: (title) => `Bei ${title} Geöffnetes wieder ausblenden`,
  },
  expandAll: "Umschalttaste und Klick: bis zum Ende",
  further: { before: "Woher es kommt:", after: "Wohin es geht:" },
  moreRows: (rows) => `${rows} weitere Pfade`,
  moreEdges: (edges) => `und ${edges} weitere`,
  allPaths: "Alle Pfade des Schemas",
  runsOfJob: "Läufe zeigen",
  functions: "durch",
  masked: "maskiert",
  predicates: "Bedingungen",
  noPredicate: "Der Job hat dazu keinen Text einer Bedingung gemeldet.",
  flowOnly:
    "Der Job liest oder schreibt den Datensatz. Welche Pfade fließen, sehen Sie in der Herkunft des Datensatzes.",
  wholeOf: (dataset) => `${dataset} als Ganzes`,
  unknownReason: "Etwas ist nicht bekannt.",
  unknownRemedy: "Der Grund stammt vom meldenden Job; fragen Sie dessen Eigentümer.",
  keys: "Tasten",
  legend: {
    title: "Legende und Tasten",
    value: "Werte fließen",
    influence: "Nur Einfluss: Filter, Verknüpfung, Gruppierung, Sortierung …",
    pruned: "Diesen Weg können keine Daten nehmen",
    gap: "Hier ist etwas nicht bekannt",
    start: "Ausgangspunkt der Herkunft",
    group: "Gruppe von Datensätzen",
    expand: "Die Herkunft geht weiter: einen Schritt mehr zeigen",
  },
  shortcuts: {
    Tab: "zu den Karten",
    "↑ ↓": "durch die Zeilen einer Karte",
    "← →": "Zeile zu- oder aufklappen; entlang einer Linie zur nächsten Karte",
    Enter: "auswählen",
    "+ −": "einen Schritt weiter, wohin es geht; woher es kommt",
    A: "alle Pfade des Datensatzes",
    Esc: "Einzelheiten schließen",
    "?": "diese Liste",
  },
};
