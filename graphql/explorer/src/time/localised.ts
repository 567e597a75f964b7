// Moments and numbers as people read them.
import { usePreferences } from "../state/preferences";

/** Says a moment in the reader's language and time zone, to the second; nothing where there is none. */
export function useMomentText(): (at: string | null) => string {
  const customs = useCustoms();
  const style = { dateStyle: "medium", timeStyle: "medium" } as const;
  return (at) => (at === null ? "" : new Date(at).toLocaleString(customs, style));
}

/** Says a number in the reader's language. */
export function useCounted(): (count: number) => string {
  const customs = useCustoms();
  return (count) => count.toLocaleString(customs);
}

/** The reader's language, as in the country that the browser names. */
function useCustoms(): string {
  const [{ language }] = usePreferences();
  return navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
}
