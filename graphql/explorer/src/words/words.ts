// The words of the page in the language that the reader chose, or that the browser prefers.
import { createContext, useContext } from "react";

import { de } from "./de/page";
import { en, type Words } from "./en/page";
import { type Language, languageAmong } from "./languages";

export const LANGUAGES: Record<Language, Words> = { en, de };

export const WordsContext = createContext<Words>(en);

export type { Language, Words };

export function useWords(): Words {
  return useContext(WordsContext);
}

/** The first of the browser's languages that there are words for. */
export function preferredLanguage(): Language {
  return languageAmong(globalThis.navigator?.languages ?? []);
}
