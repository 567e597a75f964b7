// The page's words, in the language that its address names, or else that the browser prefers.
import { createContext, useContext } from "react";
import { RECORDS_PAGE as DE } from "../words/de/records";
import { RECORDS_PAGE as EN } from "../words/en/records";
import { type Language, languageAmong } from "../words/languages";

export const PAGES = { en: EN, de: DE } as const;

export const LanguageContext = createContext<Language>("en");

export function usePageWords() {
  return PAGES[useContext(LanguageContext)];
}

/** A number as the reader writes it. */
export function useNumbers(): (number: number) => string {
  const language = useContext(LanguageContext);
  return (number) => number.toLocaleString(language);
}

/** The language of an address such as `/?language=de`, or the first that the browser names and the page has. */
export function languageOf(search: string, preferred: readonly string[]): Language {
  return languageAmong([new URLSearchParams(search).get("language") ?? "", ...preferred]);
}
