// Names of datasets, jobs and paths, and the keys by which the page looks them up.

import { grouped } from "./grouped";

/** The namespace and name of a dataset or a job. */
export interface DatasetRef {
  readonly namespace: string;
  readonly name: string;
}

export type JobRef = DatasetRef;

/** A path of a dataset; the empty path is the whole dataset. */
export interface PathRef extends DatasetRef {
  readonly path: readonly string[];
}

export type Level = "PATH" | "COLUMN" | "DATASET" | "JOB";
export type Way = "BOTH" | "BACKWARD" | "FORWARD";

/** The steps into the elements of an array, and into what is packed in a text, as people read them. */
const INSIDE: ReadonlyMap<string, string> = new Map([
  ["_element", "[]"],
  ["_packed", "{packed}"],
]);
const SEPARATOR = "\u0000";

export function datasetKey({ namespace, name }: DatasetRef): string {
  return `${namespace}${SEPARATOR}${name}`;
}

export function pathKey(path: readonly string[]): string {
  return path.join(SEPARATOR);
}

export function nodeKey(node: PathRef): string {
  return `${datasetKey(node)}${SEPARATOR}${SEPARATOR}${pathKey(node.path)}`;
}

/** The last steps of a name, as slashes part them; `//` is within a step (`s3://lake`). */
export function shortName(name: string, steps = 1): string {
  const parts = name.replace(/\/+$/, "").split("/");
  const from = Math.max(0, parts.length - steps);
  return parts.slice(from > 0 && parts[from] === "" ? from - 1 : from).join("/") || name;
}

/** Short names that distinguish the names: each with as many of its last steps as that takes. */
export function shortNames(names: Iterable<string>): ReadonlyMap<string, string> {
  return new Map(distinguished([...new Set(names)], 1));
}

function distinguished(names: readonly string[], steps: number): (readonly [string, string])[] {
  return [...grouped(names, (name) => shortName(name, steps))].flatMap(([short, alike]) => {
    const isAll = alike.every((name) => shortName(name, steps + 1) === short);
    return alike.length === 1 || isAll
      ? alike.map((name) => [name, short] as const)
      : distinguished(alike, steps + 1);
  });
}

/** The steps of a path as people read them: a step into an array's elements, or into a text, is part of its name. */
export function readableSteps(path: readonly string[]): string[] {
  const steps: string[] = [];
  for (const step of path) {
    const inside = INSIDE.get(step);
    if (inside !== undefined && steps.length > 0) {
      steps[steps.length - 1] += inside;
    } else {
      steps.push(step);
    }
  }
  return steps;
}

/** Whether the first path is the second, or holds it. */
export function holds(outer: readonly string[], inner: readonly string[]): boolean {
  return outer.length <= inner.length && outer.every((step, index) => step === inner[index]);
}
