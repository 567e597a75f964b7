// German words of the user functions of a job.
import type { FUNCTIONS as EN } from "../en/functions";

/** Why code was not read, by its code: the server's sentence about it is in English. */
const CODES: Readonly<Record<string, string>> = {
  ARGUMENTS: "Die Argumente waren nicht lesbar",
  BYTECODE: "Der Bytecode war nicht lesbar",
  CALL: "Ein Aufruf darin war nicht lesbar",
  CALLBACK: "Eine übergebene Funktion war nicht lesbar",
  CONSTRUCT: "Eine Anweisung darin war nicht lesbar",
  DAMAGED: "Der Code ist beschädigt",
  FORBIDDEN: "Der Code durfte nicht gelesen werden",
  GLOBAL: "Er verwendet veränderliche Werte von außerhalb",
  IN_PLACE: "Er verändert Werte an Ort und Stelle",
  NO_FUNCTION: "Es war keine Funktion zu finden",
  OUTSIDE: "Er verwendet etwas von außerhalb",
  PICKLE: "Der verpackte Code war nicht lesbar",
  SORT: "Die Sortierung war nicht lesbar",
  TOO_DEEP: "Der Code ist zu tief verschachtelt",
  TOO_LARGE: "Der Code ist zu groß",
  TOO_LONG: "Das Lesen dauerte zu lange",
  UNKNOWN: "Der Code war nicht lesbar",
  VERSION: "Die Version des Codes war nicht lesbar",
};

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
};
