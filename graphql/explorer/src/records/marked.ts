// A record as lines of JSON, each with what its value had to do with what is asked about.

/** A path of a record, as the server names it: `user_mentions[1].name`, where `[]` is every element. */
export interface FoundPath {
  readonly path: string;
  readonly contributes: boolean;
  readonly accessedBy: readonly number[];
  readonly manipulatedBy: readonly number[];
}

export interface Line {
  readonly depth: number;
  readonly text: string;
  /** The path that the value is at or below; null where nothing was found of it. */
  readonly found: FoundPath | null;
}

/** The lines of a record. A path stands for all that lies below it, unless another one says more. */
export function lines(record: unknown, paths: readonly FoundPath[]): Line[] {
  const known = new Map(paths.map((each) => [each.path, each]));
  return [...written(record, "", [""], known.get("") ?? null, known, 0, "")];
}

function* written(
  value: unknown,
  name: string,
  places: readonly string[],
  found: FoundPath | null,
  known: ReadonlyMap<string, FoundPath>,
  depth: number,
  end: string,
): Generator<Line> {
  const inside = children(value, places);
  if (inside === null) {
    yield { depth, text: `${name}${JSON.stringify(value)}${end}`, found };
    return;
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  yield { depth, text: name + open, found };
  for (const [number, child] of inside.entries()) {
    const own = child.places.map((each) => known.get(each)).find((each) => each !== undefined);
    const last = number === inside.length - 1;
    yield* written(child.value, child.name, child.places, own ?? found, known, depth + 1, last ? "" : ",");
  }
  yield { depth, text: close + end, found };
}

interface Child {
  readonly name: string;
  readonly value: unknown;
  readonly places: readonly string[];
}

/** What is in a value, each with the paths that name it; null for a leaf. */
function children(value: unknown, places: readonly string[]): Child[] | null {
  if (Array.isArray(value)) {
    return value.map((each, index) => ({
      name: "",
      value: each,
      places: places.flatMap((place) => [`${place}[${index + 1}]`, `${place}[]`]),
    }));
  }
  if (value === null || typeof value !== "object") {
    return null;
  }
  return Object.entries(value).map(([key, each]) => ({
    name: `${JSON.stringify(key)}: `,
    value: each,
    places: places.map((place) => (place ? `${place}.${key}` : key)),
  }));
}
