// What the reader chose before, newest first: names only, kept by the browser until they are cleared.
import type { Hit } from "./rank";

export type Pick = { readonly [Key in "kind" | "namespace" | "name" | "path" | "label"]: Hit[Key] };

const KEY = "headwater.picks";
const MOST = 8;

export function picks(): readonly Pick[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isPick) : [];
  } catch {
    return [];
  }
}

export function remember({ kind, namespace, name, path, label }: Pick): void {
  const pick = { kind, namespace, name, path, label };
  const others = picks().filter((each) => keyOf(each) !== keyOf(pick));
  localStorage.setItem(KEY, JSON.stringify([pick, ...others].slice(0, MOST)));
}

export function forgetPicks(): void {
  localStorage.removeItem(KEY);
}

function keyOf({ kind, namespace, name, path }: Pick): string {
  return JSON.stringify([kind, namespace, name, path]);
}

function isPick(value: unknown): value is Pick {
  const pick = value as Partial<Pick> | null;
  return (
    typeof pick?.name === "string" &&
    typeof pick.namespace === "string" &&
    typeof pick.label === "string" &&
    Array.isArray(pick.path) &&
    ["DATASET", "JOB", "PATH"].includes(pick.kind ?? "")
  );
}
