// The reader's choices for all pages, kept by the browser: appearance and language.
import { type Language, preferredLanguage } from "../words/words";
import { storeOf } from "./store";
import { useDarkSystem } from "./useMedia";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export interface Preferences {
  readonly theme: Theme;
  readonly language: Language;
}

const KEY = "headwater.preferences";
const preferences = storeOf<Preferences>({ theme: "system", language: preferredLanguage(), ...stored() });

export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  return [preferences.use(), prefer];
}

/** The colours that the page has: those that the reader chose, or those of the system. */
export function useShade(): Exclude<Theme, "system"> {
  const { theme } = preferences.use();
  const dark = useDarkSystem();
  return theme === "system" ? (dark ? "dark" : "light") : theme;
}

function prefer(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  localStorage.setItem(KEY, JSON.stringify(preferences.get()));
}

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}
