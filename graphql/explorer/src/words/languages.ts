// The languages that there are words in, by the names that they have in themselves.
export const LANGUAGE_NAMES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGE_NAMES;

/** The first of the tags, such as `de-AT`, in whose language there are words. */
export function languageAmong(tags: readonly string[]): Language {
  return tags.map((tag) => tag.slice(0, 2)).find((tag): tag is Language => tag in LANGUAGE_NAMES) ?? "en";
}
