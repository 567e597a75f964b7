// Whether the page is as narrow as a phone; the style sheets have the same width.
import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 720px)";

export function useNarrow(): boolean {
  return useSyncExternalStore(watch, () => matchMedia(NARROW).matches);
}

function watch(changed: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}
