// What is selected, folded and shown of cards, as the address has it: JSON, as ids have signs that proxies refuse in
// addresses.
import type { Selection } from "../lineage/selection";

const KINDS = new Set(["dataset", "job", "group", "line", "path"]);

export function writeSelection(selection: Selection): string {
  if (selection === null) {
    return "[]";
  }
  if (selection.kind === "path") {
    const { namespace, name, path } = selection.node;
    return JSON.stringify(["path", namespace, name, ...path]);
  }
  return JSON.stringify([selection.kind, selection.kind === "line" ? selection.line : selection.card]);
}

/** The inverse of `writeSelection`; undefined for other texts, and without one. */
export function readSelection(text: string | null): Selection | undefined {
  const given = textsOf(text);
  if (given === null) {
    return undefined;
  }
  const [kind, first, name, ...path] = given;
  if (kind === undefined) {
    return null;
  }
  if (!KINDS.has(kind) || first === undefined || (kind === "path" && name === undefined)) {
    return undefined;
  }
  if (kind === "path") {
    return { kind, node: { namespace: first, name: name as string, path } };
  }
  return kind === "line" ? { kind, line: first } : { kind: kind as "dataset" | "job" | "group", card: first };
}

export function readText(text: string): string | null {
  const given = parsed(text);
  return typeof given === "string" ? given : null;
}

/** The path of a text; null for what is none. */
export function readPath(text: string): string[] | null {
  const given = textsOf(text);
  return given !== null && given.length > 0 ? given : null;
}

/** A key and how many rows its card shows. */
export function readRows(text: string): [[string, number]] | null {
  const given = parsed(text);
  const [key, rows] = Array.isArray(given) ? given : [];
  return typeof key === "string" && Number.isInteger(rows) && rows > 0 ? [[key, rows]] : null;
}

/** The list of texts that the JSON has; null where it is something else. */
function textsOf(text: string | null): string[] | null {
  const given = parsed(text);
  return Array.isArray(given) && given.every((each) => typeof each === "string") ? given : null;
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
