// What somebody changed in an event, as the server wants it: the new value at each JSON pointer.
import type { Variables } from "../server/client";

export type Change = Variables<"MendDeadLetter">["changes"] extends infer All
  ? All extends readonly (infer One)[]
    ? One
    : All
  : never;

type Members = Readonly<Record<string, unknown>>;

/** The changes that make the second value of the first; lists of another length are replaced as a whole. */
export function changesBetween(before: unknown, after: unknown, pointer = ""): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) {
    return [];
  }
  if (isMembers(before) && isMembers(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => {
      const at = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      return key in after ? changesBetween(before[key], after[key], at) : [{ pointer: at, value: null }];
    });
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((each, at) => changesBetween(each, after[at], `${pointer}/${at}`));
  }
  return [{ pointer, value: JSON.stringify(after) }];
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
