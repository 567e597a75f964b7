// What the screen is like, and the reader's system.
import { useSyncExternalStore } from "react";

/** Whether the page is as narrow as a phone; the style sheets have the same width. */
export const useNarrow = following("(max-width: 720px)");
export const useDarkSystem = following("(prefers-color-scheme: dark)");

function following(condition: string): () => boolean {
  const watch = (changed: () => void) => {
    const query = matchMedia(condition);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  };
  return function useMedia() {
    return useSyncExternalStore(watch, () => matchMedia(condition).matches);
  };
}
