// German words of moments and their difference.
import type { TIME as WORDS } from "../en/time";

export const TIME: typeof WORDS = {
  title: "Zeit",
  moment: "Zeitpunkt",
  now: "jetzt",
  exact: "Genaue Zeit",
  version: (place, of) => `Version ${place} von ${of}`,
  beforeFirst: "vor der ersten Version, die aufgeführt ist",
  past: (at) => `Stand, wie er am ${at} bekannt war.`,
  toNow: "Zurück zu jetzt",
  older: "Ältere Versionen",
  noVersions: "Es ist kein Lauf bekannt, der diesen Datensatz geschrieben hat.",
  compare: "Vergleichen mit",
  compareWith: "Früherer Zeitpunkt",
  exactEarlier: "Genaue frühere Zeit",
  other: "ein anderer Zeitpunkt",
  differences: "Unterschiede",
  from: (since, until) => `Was sich von ${since} bis ${until} geändert hat`,
  stop: "Nicht mehr vergleichen",
  marks: { added: "neu", gone: "weggefallen", changed: "geändert" },
  none: "Zwischen den Zeitpunkten unterscheidet sich nichts.",
  paths: "Pfade",
  edges: "Kanten",
  before: "vorher",
  after: "nachher",
  order: "Der frühere Zeitpunkt liegt nicht vor dem anderen.",
  doubtful:
    "Zu einem der Zeitpunkte ist die Herkunft unvollständig oder gekürzt: Was neu aussieht, kann schon da gewesen sein, und was weggefallen aussieht, kann noch da sein.",
  overAll: "Verglichen über alle Schritte, auch die nicht gezeigten.",
  beyond: (count) =>
    count === 1
      ? "1 davon liegt hinter den gezeigten Schritten."
      : `${count} davon liegen hinter den gezeigten Schritten.`,
  showAll: "Alle Schritte zeigen",
  partly: (marks) => `teilweise ${marks.join(", ")}`,
};
