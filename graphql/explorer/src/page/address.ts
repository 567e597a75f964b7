// The state of the page, kept in its address: a link restores the picture, back and forward work. It holds names and
// choices, never a credential.
import { useSyncExternalStore } from "react";

import { type Expansion, readExpansion, writeExpansion } from "../lineage/expansions";
import type { DatasetRef, Level, PathRef, Way } from "../lineage/names";
import type { Selection } from "../lineage/selection";
import { readPath, readRows, readSelection, readText, writeSelection } from "./in_cards";

export const VIEWS = [
  "picture",
  "matrix",
  "findings",
  "crossings",
  "classify",
  "runs",
  "dead-letters",
] as const;
export type View = (typeof VIEWS)[number];

export interface Address {
  readonly view: View;
  /** The start of the lineage shown; without one, the data flow of the whole store. */
  readonly dataset: DatasetRef | null;
  /** The path of the dataset that the lineage starts from; empty for the whole dataset. */
  readonly path: readonly string[];
  /** The job of the runs shown. */
  readonly job: DatasetRef | null;
  readonly level: Level;
  readonly way: Way;
  /** The greatest number of edges from the start. */
  readonly depth: number;
  /** Whether influences are followed, too. */
  readonly influences: boolean;
  /** Whether ways that no data can take are distinguished from the others. */
  readonly active: boolean;
  /** The rows of the start that active lineage is about, as a condition; empty for all. */
  readonly where: string;
  /** After how many ways active lineage stops; null where the server decides. */
  readonly mostWays: number | null;
  /** The paths of the start whose values one record has, where its sources are asked for. */
  readonly record: readonly (readonly string[])[];
  /** The moment that the lineage is asked for, as ISO 8601 text; null is now. */
  readonly asOf: string | null;
  /** The earlier moment to compare with. */
  readonly since: string | null;
  /** The datasets beyond which the lineage is followed further than from the start. */
  readonly expanded: readonly Expansion[];
  /** How many pages of the answers are shown, where the server's limit cuts them. */
  readonly pages: number;
  /** How the periphery is folded; "auto" folds what is too large to be looked at. */
  readonly group: (typeof GROUPS)[number];
  /** The groups that are open. */
  readonly open: readonly string[];
  /** What is selected in the picture; undefined for the place that holds personal data, if there is one. */
  readonly selected: Selection | undefined;
  /** The ids of rows that were folded or opened by hand. */
  readonly toggled: readonly string[];
  /** The keys of datasets that show all their paths, rather than those on the lineage. */
  readonly whole: readonly string[];
  /** How many rows are shown, of the datasets that show more than others, by their keys. */
  readonly rowsOf: readonly (readonly [string, number])[];
  /** Whether paths are coloured by the form in which they hold personal data. */
  readonly exposure: boolean;
  /** What the columns of the matrix are, and what its rows are. */
  readonly columns: (typeof COLUMNS)[number];
  readonly rows: (typeof ROWS)[number];
  /** Whether privacy answers also list what personal data only influence. */
  readonly influenced: boolean;
  /** What of the matrix is shown: of a category, of special ones, of a data subject, of an owner's datasets. */
  readonly only: Only;
  /** The place that holds personal data: selected in the picture, and opened in the matrix. */
  readonly holder: PathRef | null;
  /** The category or the attribute that is held there. */
  readonly category: string | null;
  readonly attribute: PathRef | null;
  /** The id of the only finding shown. */
  readonly finding: string | null;
  /** The place at or below which findings are shown. */
  readonly place: PathRef | null;
  /** The states of the findings shown, and the policy that they are of; empty for any. */
  readonly states: (typeof STATES)[number];
  readonly policy: string;
  /** The flow between countries whose crossings are shown. */
  readonly flow: string | null;
  /** The text that the jobs shown have in their names. */
  readonly jobsLike: string;
}

/** Filters of the matrix; the owner is empty for datasets without any. */
export interface Only {
  readonly category: string | null;
  readonly special: boolean;
  readonly subject: string | null;
  readonly owner: string | null;
}

export const STATES = ["undecided", "OPEN", "ACKNOWLEDGED", "RESOLVED", "CLEARED", "all"] as const;

const COLUMNS = ["category", "subject", "attribute"] as const;
const ROWS = ["dataset", "namespace", "recipient"] as const;

export const START: Address = {
  view: "picture",
  dataset: null,
  path: [],
  job: null,
  level: "PATH",
  way: "BOTH",
  depth: 3,
  influences: true,
  active: false,
  where: "",
  mostWays: null,
  record: [],
  asOf: null,
  since: null,
  expanded: [],
  pages: 1,
  group: "auto",
  open: [],
  selected: undefined,
  toggled: [],
  whole: [],
  rowsOf: [],
  exposure: false,
  columns: "category",
  rows: "dataset",
  influenced: false,
  only: { category: null, special: false, subject: null, owner: null },
  holder: null,
  category: null,
  attribute: null,
  finding: null,
  place: null,
  states: "undecided",
  policy: "",
  flow: null,
  jobsLike: "",
};

const LEVELS: readonly Level[] = ["PATH", "COLUMN", "DATASET", "JOB"];
const WAYS: readonly Way[] = ["BOTH", "BACKWARD", "FORWARD"];
export const GROUPS = ["auto", "none", "namespace", "owner"] as const;
export const MOST_DEPTH = 50;

/** The state that the query of an address holds; what it does not understand is left at its default. */
export function read(query: string): Address {
  const given = new URLSearchParams(query);
  const [depth, pages] = [Number(given.get("depth")), Number(given.get("pages"))];
  const mostWays = Number(given.get("most-ways"));
  return {
    view: oneOf(VIEWS, given.get("view"), START.view),
    dataset: named(given, "namespace", "name"),
    path: given.getAll("path"),
    job: named(given, "job-namespace", "job"),
    level: oneOf(LEVELS, given.get("level")?.toUpperCase(), START.level),
    way: oneOf(WAYS, given.get("way")?.toUpperCase(), START.way),
    depth: Number.isInteger(depth) && depth > 0 && depth <= MOST_DEPTH ? depth : START.depth,
    influences: given.get("influences") !== "no",
    active: given.get("active") === "yes",
    where: given.get("where") ?? START.where,
    mostWays: Number.isInteger(mostWays) && mostWays > 0 ? mostWays : START.mostWays,
    record: given
      .getAll("record")
      .map(readPath)
      .filter((path) => path !== null),
    asOf: moment(given.get("as-of")),
    since: moment(given.get("since")),
    expanded: given.getAll("expand").flatMap((text) => readExpansion(text) ?? []),
    pages: Number.isInteger(pages) && pages > 0 ? pages : START.pages,
    group: oneOf(GROUPS, given.get("group"), START.group),
    open: given.getAll("open"),
    selected: readSelection(given.get("select")),
    toggled: given.getAll("toggle").flatMap((text) => readText(text) ?? []),
    whole: given.getAll("whole").flatMap((text) => readText(text) ?? []),
    rowsOf: given.getAll("rows-of").flatMap((text) => readRows(text) ?? []),
    exposure: given.get("exposure") === "yes",
    columns: oneOf(COLUMNS, given.get("columns"), START.columns),
    rows: oneOf(ROWS, given.get("rows"), START.rows),
    influenced: given.get("influenced") === "yes",
    only: onlyOf(given),
    holder: placed(given, "holder"),
    category: given.get("category"),
    attribute: placed(given, "attribute"),
    finding: given.get("finding"),
    place: placed(given, "place"),
    states: oneOf(STATES, given.get("states"), START.states),
    policy: given.get("policy") ?? START.policy,
    flow: given.get("flow"),
    jobsLike: given.get("jobs-like") ?? START.jobsLike,
  };
}

/** Whether the lineage is active lineage, which there is of paths alone. */
export function isActive({ active, level }: Address): boolean {
  return active && level === "PATH";
}

/** The query of the address that holds this state; defaults are left out. */
export function write(state: Address): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string, usual: string) => value !== usual && query.append(name, value);
  put("view", state.view, START.view);
  if (state.dataset) {
    query.append("namespace", state.dataset.namespace);
    query.append("name", state.dataset.name);
    for (const step of state.path) {
      query.append("path", step);
    }
  }
  if (state.job) {
    query.append("job-namespace", state.job.namespace);
    query.append("job", state.job.name);
  }
  put("level", state.level.toLowerCase(), START.level.toLowerCase());
  put("way", state.way.toLowerCase(), START.way.toLowerCase());
  put("depth", String(state.depth), String(START.depth));
  put("influences", state.influences ? "yes" : "no", "yes");
  put("active", state.active ? "yes" : "no", "no");
  put("where", state.where, START.where);
  put("most-ways", String(state.mostWays ?? ""), "");
  for (const path of state.record) {
    query.append("record", JSON.stringify(path));
  }
  put("as-of", state.asOf ?? "", "");
  put("since", state.since ?? "", "");
  for (const each of state.expanded) {
    query.append("expand", writeExpansion(each));
  }
  put("pages", String(state.pages), String(START.pages));
  put("group", state.group, START.group);
  for (const group of state.open) {
    query.append("open", group);
  }
  if (state.selected || (state.selected === null && state.holder)) {
    query.append("select", writeSelection(state.selected));
  }
  for (const [name, all] of [
    ["toggle", state.toggled],
    ["whole", state.whole],
    ["rows-of", state.rowsOf],
  ] as const) {
    for (const each of all) {
      query.append(name, JSON.stringify(each));
    }
  }
  put("exposure", state.exposure ? "yes" : "no", "no");
  put("columns", state.columns, START.columns);
  put("rows", state.rows, START.rows);
  put("influenced", state.influenced ? "yes" : "no", "no");
  putOnly(query, state.only);
  putPlace(query, "holder", state.holder);
  put("category", state.category ?? "", "");
  putPlace(query, "attribute", state.attribute);
  put("finding", state.finding ?? "", "");
  putPlace(query, "place", state.place);
  put("states", state.states, START.states);
  put("policy", state.policy, START.policy);
  put("flow", state.flow ?? "", "");
  put("jobs-like", state.jobsLike, START.jobsLike);
  return query.toString();
}

/** The state of the page's address, and the function that changes parts of it, with an entry in the history. */
export function useAddress(): [Address, typeof go] {
  const query = useSyncExternalStore(watch, () => location.search);
  return [read(query), go];
}

/** What decides which pages there are. */
const OF_PAGES: readonly (keyof Address)[] = [
  "dataset",
  "path",
  "level",
  "depth",
  "influences",
  "asOf",
  "active",
  "where",
  "mostWays",
];

/** The state after a change of parts of it; what is asked anew begins with the first page, and as it is at first. */
export function changed(state: Address, change: Partial<Address>): Address {
  const anew = OF_PAGES.some((field) => field in change);
  const { pages, selected, toggled, whole, rowsOf, where, record } = START;
  return {
    ...state,
    ...(anew && { pages }),
    ...("holder" in change && { selected }),
    ...("dataset" in change && { toggled, whole, rowsOf, where, record }),
    ...change,
  };
}

/** Change parts of the state; details of what is seen replace the entry in the history. */
export function go(change: Partial<Address>, entry: "new" | "same" = "new"): void {
  const query = write(changed(read(location.search), change));
  if (`?${query}` !== location.search && !(query === "" && location.search === "")) {
    history[entry === "new" ? "pushState" : "replaceState"](
      null,
      "",
      query ? `?${query}` : location.pathname,
    );
    dispatchEvent(new PopStateEvent("popstate"));
  }
}

function watch(listener: () => void): () => void {
  addEventListener("popstate", listener);
  return () => removeEventListener("popstate", listener);
}

function named(given: URLSearchParams, namespace: string, name: string): DatasetRef | null {
  const [first, second] = [given.get(namespace), given.get(name)];
  return first !== null && second !== null ? { namespace: first, name: second } : null;
}

function placed(given: URLSearchParams, field: string): PathRef | null {
  const dataset = named(given, `${field}-namespace`, field);
  return dataset && { ...dataset, path: given.getAll(`${field}-path`) };
}

function onlyOf(given: URLSearchParams): Only {
  return {
    category: given.get("only-category"),
    special: given.get("only-special") === "yes",
    subject: given.get("only-subject"),
    owner: given.get("only-owner"),
  };
}

function putOnly(query: URLSearchParams, { special, ...named }: Only): void {
  for (const [field, value] of Object.entries(named)) {
    if (value !== null) {
      query.append(`only-${field}`, value);
    }
  }
  if (special) {
    query.append("only-special", "yes");
  }
}

function putPlace(query: URLSearchParams, field: string, place: PathRef | null): void {
  if (place) {
    query.append(`${field}-namespace`, place.namespace);
    query.append(field, place.name);
    for (const step of place.path) {
      query.append(`${field}-path`, step);
    }
  }
}

function moment(text: string | null): string | null {
  return text && !Number.isNaN(Date.parse(text)) ? text : null;
}

function oneOf<T extends string>(values: readonly T[], given: string | null | undefined, usual: T): T {
  return values.includes(given as T) ? (given as T) : usual;
}
