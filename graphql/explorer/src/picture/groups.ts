// Groups: cards of one namespace or owner, folded into a card that still connects to all others.
import { grouped } from "../lineage/grouped";
import { shortNames } from "../lineage/names";
import type { Card, Line, Picture } from "./model";

export type Grouping = "none" | "namespace" | "owner";

/** Pictures of more datasets than this are folded at first. */
export const MANY_DATASETS = 150;

export interface GroupWish {
  readonly by: Grouping;
  /** The names of the groups that are open. */
  readonly open: ReadonlySet<string>;
  /** The owners of datasets, by their keys. */
  readonly owners: ReadonlyMap<string, readonly string[]>;
}

/** The grouping that a picture of this size has if the reader has chosen none. */
export function usualGrouping(picture: Picture): Grouping {
  const datasets = picture.cards.filter((card) => card.kind === "dataset");
  const namespaces = new Set(datasets.map((card) => card.namespace));
  return datasets.length > MANY_DATASETS && namespaces.size > 1 ? "namespace" : "none";
}

/** The picture with what is far from its start in groups; without a start, all of it. */
export function folded(picture: Picture, wish: GroupWish): Picture {
  const groups = groupsOf(picture, wish);
  if (groups.size === 0) {
    return picture;
  }
  const placeOf = (card: string) => groups.get(card) ?? card;
  const members = grouped(groups.keys(), placeOf);
  const cards = picture.cards.filter((card) => !groups.has(card.id));
  const byId = new Map(picture.cards.map((card) => [card.id, card]));
  const short = shortNames([...members.keys()].map(nameOfGroup));
  const groupCards = [...members].map(([id, inside]) =>
    groupCard(
      id,
      short.get(nameOfGroup(id)) ?? id,
      inside.flatMap((each) => byId.get(each) ?? []),
    ),
  );
  const used = linesBetween(picture.lines, placeOf);
  return { cards: [...cards, ...groupCards], lines: used };
}

function groupCard(id: string, title: string, inside: readonly Card[]): Card {
  const datasets = inside.filter(({ kind }) => kind !== "job").map((card) => card.id);
  const name = nameOfGroup(id);
  return {
    id,
    kind: "group",
    namespace: name,
    name,
    title,
    rows: [],
    gaps: inside.flatMap(({ gaps }) => gaps),
    gapCount: inside.reduce((sum, { gapCount }) => sum + gapCount, 0),
    size: datasets.length,
    members: datasets,
    start: false,
  };
}

const PREFIX = "group ";

/** The namespace or owner of a group. */
function nameOfGroup(id: string): string {
  return id.slice(PREFIX.length);
}

/** The group of each card that is in one: at least two datasets are, and the jobs between what is folded. */
function groupsOf(picture: Picture, { by, open, owners }: GroupWish): Map<string, string> {
  if (by === "none") {
    return new Map();
  }
  const near = nearStart(picture);
  const nameOf = (card: Card) => (by === "namespace" ? card.namespace : (owners.get(card.id)?.[0] ?? ""));
  const far = picture.cards.filter(
    (card) => card.kind === "dataset" && !near.has(card.id) && nameOf(card) !== "" && !open.has(nameOf(card)),
  );
  const found = new Map<string, string>();
  for (const [name, cards] of grouped(far, nameOf)) {
    for (const card of cards.length > 1 ? cards : []) {
      found.set(card.id, `${PREFIX}${name}`);
    }
  }
  for (const [job, neighbours] of neighboursOf(picture, (card) => card.startsWith("job "))) {
    const places = new Set([...neighbours].map((each) => found.get(each)));
    const [first] = places;
    if (first !== undefined && !places.has(undefined)) {
      found.set(job, first);
    }
  }
  return found;
}

/** The start's card and the datasets that are one job away from it. */
function nearStart(picture: Picture): ReadonlySet<string> {
  const start = picture.cards.find((card) => card.start);
  const near = new Set<string>();
  if (start) {
    near.add(start.id);
    for (const { source, target } of picture.lines) {
      if (source.card === start.id || target.card === start.id) {
        near.add(source.card).add(target.card);
      }
    }
  }
  return near;
}

function neighboursOf(picture: Picture, isWanted: (card: string) => boolean): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const put = (card: string, other: string) => {
    if (isWanted(card)) {
      found.set(card, (found.get(card) ?? new Set()).add(other));
    }
  };
  for (const { source, target, through } of picture.lines) {
    put(source.card, target.card);
    put(target.card, source.card);
    if (through !== null) {
      put(through, source.card);
      put(through, target.card);
    }
  }
  return found;
}

/** The lines between what is shown; those that come together are one, and those within a group are none. */
function linesBetween(lines: readonly Line[], placeOf: (card: string) => string): Line[] {
  const merged = new Map<string, Line>();
  for (const line of lines) {
    const [from, to] = [placeOf(line.source.card), placeOf(line.target.card)];
    const job = line.through === null ? null : placeOf(line.through);
    const through = job === from || job === to ? null : job;
    if (from === to && through === null) {
      continue;
    }
    const source = from === line.source.card ? line.source : { card: from, row: null };
    const target = to === line.target.card ? line.target : { card: to, row: null };
    const id = [source.card, source.row, target.card, target.row, through].join("\u0001");
    const known = merged.get(id);
    const edges = [...(known?.edges ?? []), ...line.edges];
    merged.set(id, {
      ...line,
      id,
      source,
      target,
      through,
      edges,
      value: line.value || (known?.value ?? false),
      pruned: line.pruned === true && known?.pruned !== false,
    });
  }
  return [...merged.values()];
}
