// The words of the page in the language that the reader chose, or that the browser prefers.
import { createContext, useContext } from "react";

import { de } from "./de/page";
import { en, type Words } from "./en/page";

export const LANGUAGES = { en, de } as const;
export type Language = keyof typeof LANGUAGES;

export const WordsContext = createContext<Words>(en);

export type { Words };

export function useWords(): Words {
  return useContext(WordsContext);
}

/** The first of the browser's languages that there are words for. */
export function preferredLanguage(): Language {
  const known = (globalThis.navigator?.languages ?? [])
    .map((tag) => tag.slice(0, 2))
    .find((tag) => tag in LANGUAGES);
  return (known as Language | undefined) ?? "en";
}
