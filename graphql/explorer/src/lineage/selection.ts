// What the reader has selected.
import type { PathRef } from "./names";

/** What is selected in a picture. */
export type Selection =
  | { readonly kind: "path"; readonly node: PathRef }
  | { readonly kind: "dataset" | "job" | "group"; readonly card: string }
  | { readonly kind: "line"; readonly line: string }
  | null;
