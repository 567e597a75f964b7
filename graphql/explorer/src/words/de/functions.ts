// German words of the user functions of a job.
import type { FUNCTIONS as EN } from "../en/functions";

/** Why code was not read, by its code: the server's sentence about it is in English. */
const CODES: Readonly<Record<string, string>> = {
  ARGUMENTS: "Seine Argumente stehen nicht einzeln fest",
  BYTECODE: "Der Bytecode war nicht lesbar",
  CALL: "Ein Aufruf darin war nicht lesbar",
  CALLBACK: "Eine übergebene Funktion war nicht lesbar",
  CONSTRUCT: "Eine Anweisung darin war nicht lesbar",
  DAMAGED: "Der Code ist beschädigt",
  FORBIDDEN: "Ihn zu lesen, täte mehr als zu rechnen",
  GLOBAL: "Er verändert etwas außerhalb der Funktion",
  IN_PLACE: "Er verändert Werte an Ort und Stelle",
  OTHER_CODE: "Was ein Steward angenommen hat, gilt für anderen Code oder ein anderes Python",
  NOT_SENT: "Sein Code wurde nicht an den Agenten gesandt",
  NO_FUNCTION: "Es war keine Funktion zu finden",
  OUTSIDE: "Er verwendet etwas von außerhalb",
  PICKLE: "Der verpackte Code war nicht lesbar",
  SORT: "Funktionen dieser Art werden nicht gelesen",
  TOO_DEEP: "Der Code ist zu tief verschachtelt",
  TOO_LARGE: "Der Code ist zu groß",
  TOO_LONG: "Das Lesen dauerte zu lange",
  UNKNOWN: "Der Code war nicht lesbar",
  VERSION: "Diese Version von Python wird nicht gelesen",
};

/** What the command line says of a proposal. */
const CHECKS: readonly (readonly [RegExp, string])[] = [
  [/^code: not read: .*$/, "Code: war nicht lesbar"],
  [/^code: not all is read: .*$/, "Code: war nicht ganz lesbar"],
  [/^code: it may be made of more: /, "Code: Es kann auch hieraus bestehen: "],
  [/^code: all that it is made of is listed$/, "Code: Alles, woraus es besteht, steht da"],
  [/^runs: none; .*$/, "Probeläufe: keine"],
  [
    /^runs: (\d+), and (\d+) pairs of paths changed together$/,
    "Probeläufe: $1, $2 Paare von Pfaden änderten sich zusammen",
  ],
];

export const FUNCTIONS: typeof EN = {
  title: "Funktionen",
  known: { ANALYSED: "aus dem Code gelesen", DECLARED: "deklariert", OPAQUE: "undurchsichtig" },
  difference: {
    UNDECLARED: "Der Code tut es, und keine Deklaration sagt es",
    NOT_DONE: "Deklariert, und der Code tut es nicht",
    READABLE: "Als verborgen deklariert, und doch zurückzulesen",
  },
  why: (code, _reason, line) =>
    `${CODES[code] ?? CODES.UNKNOWN}${line === null ? "" : ` (Zeile ${line})`} [${code}]`,
  result: "Ergebnis",
  by: (steward) => `von ${steward}`,
  proposals: "Vorschläge, was Funktionen tun",
  proposalsMean:
    "Antworten einer zweiten Meinung; sie sind keine Herkunft. Was angenommen ist, meldet der Job, sobald er damit eingerichtet ist: `headwater functions declarations` schreibt die Datei.",
  states: { PROPOSED: "vorgeschlagen", ACCEPTED: "angenommen", REFUSED: "abgelehnt" },
  verdicts: { accepted: "Annehmen", refused: "Ablehnen", reopened: "Zurücknehmen" },
  decided: (by, day) => `von ${by} am ${day}`,
  check: (text) =>
    CHECKS.reduce((translated, [english, german]) => translated.replace(english, german), text),
  readsNothing: "Es besteht aus keinem Argument.",
  writes: "Zeilen ohne Pfeil führen zu",
};
