// The rows of a dataset's card: its paths as a tree, folded or open.
import { type DatasetRef, nodeKey, type PathRef, pathKey, readableSteps } from "../lineage/names";
import type { Row } from "./model";

/** A path that a card may show. */
export interface CardPath {
  readonly path: readonly string[];
  /** Whether it is a node of the lineage, rather than only known of the schema. */
  readonly onLineage: boolean;
  readonly label?: string;
  readonly type?: string | null;
}

/** An array's row stands for its elements, too: it has the path of the array, and those of elements beside it. */
interface Branch {
  readonly path: readonly string[];
  /** The path with the most steps into elements. */
  innermost: readonly string[];
  readonly at: CardPath[];
  /** Whether there is a node of the lineage at it or nested in it. */
  onLineage: boolean;
  readonly branches: Map<string, Branch>;
}

/** A card that would have more rows than this has its deep trees folded, and then rows left out. */
export const FEW_ROWS = 25;

/** The row that stands for those that are left out. */
export const MORE = "more";

/** The first rows of the lineage and then of the others, in their order; and how many are left out. */
export function limited(rows: readonly Row[], most: number): { rows: readonly Row[]; left: number } {
  if (rows.length <= most + 1) {
    return { rows, left: 0 };
  }
  const first = [...rows.filter((row) => row.onLineage), ...rows.filter((row) => !row.onLineage)];
  const kept = new Set(first.slice(0, most));
  return { rows: rows.filter((row) => kept.has(row)), left: rows.length - most };
}

/** The rows of the paths of one dataset, each below the one that it is nested in. */
export function rowsOf(
  dataset: DatasetRef,
  paths: readonly CardPath[],
  isOpen: (row: string, usually: boolean) => boolean,
): Row[] {
  const root = branchOf([]);
  for (const each of paths) {
    insert(root, each);
  }
  const depthOpen = usuallyOpen(root);
  const keyOf = (path: readonly string[]) => nodeKey({ ...dataset, path });
  const list = (branch: Branch, depth: number): Row[] => {
    const id = keyOf(branch.path);
    const inner = [...branch.branches.values()];
    const open = inner.length > 0 && isOpen(id, depth < depthOpen && inner.some((each) => each.onLineage));
    const steps = readableSteps(branch.innermost);
    const hidden = open ? [] : inner.flatMap(within);
    const known = [...branch.at, ...hidden].filter((each) => each.onLineage);
    const row: Row = {
      id,
      keys: [id, ...known.map((each) => keyOf(each.path))],
      path: branch.path,
      name: steps.at(-1) ?? "",
      label: branch.at.at(-1)?.label ?? steps.join("."),
      type: typeOf(branch.at),
      depth,
      nested: inner.length > 0,
      open,
      onLineage: known.length > 0,
    };
    return [row, ...(open ? inner.flatMap((each) => list(each, depth + 1)) : [])];
  };
  return [...root.branches.values()].flatMap((branch) => list(branch, 0));
}

/** The keys of the rows that a path is nested in, outermost first, and of its own. */
export function rowsDownTo(node: PathRef): string[] {
  const groups = groupsOf(node.path);
  return groups.map((group, index) => {
    const outer = groups.slice(0, index).flat();
    return nodeKey({ ...node, path: [...outer, group[0] as string] });
  });
}

function branchOf(path: readonly string[]): Branch {
  return { path, innermost: path, at: [], onLineage: false, branches: new Map() };
}

function insert(root: Branch, given: CardPath): void {
  let branch = root;
  const taken: string[] = [];
  for (const [array, ...elements] of groupsOf(given.path)) {
    const path = [...taken, array as string];
    taken.push(array as string, ...elements);
    let inner = branch.branches.get(pathKey(path));
    if (!inner) {
      inner = branchOf(path);
      branch.branches.set(pathKey(path), inner);
    }
    if (taken.length > inner.innermost.length) {
      inner.innermost = [...taken];
    }
    branch = inner;
    branch.onLineage ||= given.onLineage;
  }
  branch.at.push(given);
}

function within(branch: Branch): CardPath[] {
  return [...branch.at, ...[...branch.branches.values()].flatMap(within)];
}

/** The type of what is at a row: of an array the elements' where they are known, too. */
function typeOf(at: readonly CardPath[]): string | null {
  const types = at.flatMap((each) => each.type ?? []);
  const [outer, inner] = [types[0], types.at(-1)];
  return types.length > 1 && outer === "array" ? `array<${inner}>` : (outer ?? null);
}

/** The depth above which rows of the lineage are open at first: as deep as makes few rows. */
function usuallyOpen(root: Branch): number {
  const below = (branch: Branch) => [...branch.branches.values()].filter((each) => each.onLineage);
  let [level, rows, depth] = [below(root), 0, 0];
  while (level.length > 0 && rows + level.length <= FEW_ROWS) {
    rows += level.length;
    level = level.flatMap(below);
    depth += 1;
  }
  return level.length === 0 ? Number.POSITIVE_INFINITY : depth - 1;
}

/** The steps of a path, with those into an array's elements, or into a text, beside it: they share a row. */
function groupsOf(path: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const step of path) {
    const last = groups.at(-1);
    if ((step === "_element" || step === "_packed") && last) {
      last.push(step);
    } else {
      groups.push([step]);
    }
  }
  return groups;
}
