// The reader's choices for all pages, kept by the browser: appearance and language.
import { useSyncExternalStore } from "react";

import { type Language, preferredLanguage } from "../words/words";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export interface Preferences {
  readonly theme: Theme;
  readonly language: Language;
}

const KEY = "headwater.preferences";
const listeners = new Set<() => void>();
let current: Preferences = { theme: "system", language: preferredLanguage(), ...stored() };

export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  return [useSyncExternalStore(watch, () => current), prefer];
}

function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  for (const changed of listeners) {
    changed();
  }
}

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

function watch(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
