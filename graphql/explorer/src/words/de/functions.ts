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
