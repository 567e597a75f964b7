// What a card has as its title, and below it.
import type { Card } from "./model";

/** Of a job whose name has parts, as Spark's have, the application. */
export function titleOf({ kind, title }: Card): string {
  return kind === "job" ? (title.split(".")[0] ?? title) : title;
}

/** The namespace; of a job whose name has parts, what it writes. */
export function subtitleOf({ kind, title, namespace }: Card): string {
  const parts = title.split(".");
  return kind === "job" && parts.length > 1 ? (parts.at(-1) ?? "") : namespace;
}

/** Whether the reader may not see what it is: the server gives such datasets and jobs closed names. */
export function isClosed({ namespace, kind }: Card): boolean {
  return namespace === "closed" && kind !== "group";
}
