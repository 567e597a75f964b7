// The picture of a whole store in groups, which the server makes: of all datasets, and how many jobs took data between
// them.
import { type DatasetRef, datasetKey, shortName, shortNames } from "../lineage/names";
import type { Answer } from "../server/client";
import type { Card, Line, Picture } from "./model";

export type Overview = Answer<"Overview">["overview"];
type Group = Overview["groups"][number];
/** A group that is open: the datasets of a namespace whose names begin with the prefix. */
export interface OpenGroup extends Pick<DatasetRef, "namespace"> {
  readonly prefix: string;
}

/** A group that is open as the address has it: a namespace by its name alone, as groups of a lineage. */
export function writeOpen({ namespace, prefix }: OpenGroup): string {
  return prefix === "" ? namespace : JSON.stringify([namespace, prefix]);
}

/** The inverse of `writeOpen`. */
export function readOpen(text: string): OpenGroup {
  try {
    const [namespace, prefix] = JSON.parse(text) as unknown[];
    if (typeof namespace === "string" && typeof prefix === "string") {
      return { namespace, prefix };
    }
  } catch {
    // The name of a namespace.
  }
  return { namespace: text, prefix: "" };
}

/** What open groups are called, in their order. */
export function titlesOfOpen(open: readonly string[]): string[] {
  const groups = open.map(readOpen);
  const short = shortNames(groups.map(({ namespace }) => namespace));
  return groups.map(({ namespace, prefix }) => `${short.get(namespace)} ${prefix}`.trim());
}

/** What stays open when a group is closed: not what is in it. */
export function withoutGroup(open: readonly string[], closed: string): string[] {
  const { namespace, prefix } = readOpen(closed);
  return open.filter((text) => {
    const each = readOpen(text);
    return each.namespace !== namespace || !each.prefix.startsWith(prefix);
  });
}

export function overviewPicture(overview: Overview, opened: readonly OpenGroup[]): Picture {
  const short = shortNames(overview.groups.map(({ namespace }) => namespace));
  const cards = overview.groups.map((group) => cardOf(group, opened, short));
  const lines = overview.connections.map(({ source, target, jobs, job }): Line => {
    const [from, to] = [(cards[source] as Card).id, (cards[target] as Card).id];
    return {
      id: `${from}\u0001${to}`,
      source: { card: from, row: null },
      target: { card: to, row: null },
      through: null,
      value: true,
      edges: [],
      jobs: { count: jobs, one: job },
    };
  });
  return { cards, lines };
}

function cardOf(group: Group, opened: readonly OpenGroup[], short: ReadonlyMap<string, string>): Card {
  const { namespace, place, prefix, dataset, size, gaps } = group;
  const plain = {
    namespace,
    rows: [],
    gaps: [],
    gapCount: gaps,
    start: false,
    place: placeKey(namespace, place),
  };
  if (dataset !== null) {
    const id = datasetKey({ namespace, name: dataset });
    return { ...plain, id, kind: "dataset", name: dataset, title: shortName(dataset), size: 1 };
  }
  const around = opened.filter((each) => each.namespace === namespace && place?.startsWith(each.prefix));
  const within = Math.max(0, ...around.map((each) => each.prefix.length));
  return {
    ...plain,
    id: `group ${plain.place}`,
    kind: "group",
    name: place ?? namespace,
    title: place === null ? (short.get(namespace) ?? namespace) : (prefix ?? place).slice(within),
    size,
    ...(prefix !== null && { opens: writeOpen({ namespace, prefix }) }),
  };
}

export function placeKey(namespace: string, place: string | null): string {
  return place === null ? namespace : datasetKey({ namespace, name: place });
}

/** The key of the place at which the server's overview shows a dataset (`ports/overview.py`). */
export function placeOf({ namespace, name }: DatasetRef, opened: readonly OpenGroup[]): string {
  const around = opened.flatMap(({ namespace: of, prefix }) =>
    of === namespace && name.startsWith(prefix) ? [prefix.length] : [],
  );
  if (around.length === 0) {
    return placeKey(namespace, null);
  }
  const end = name.indexOf(name.includes("/") ? "/" : ".", Math.max(...around));
  return placeKey(namespace, end >= 0 ? name.slice(0, end + 1) : name);
}
