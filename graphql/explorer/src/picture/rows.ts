// The rows of a dataset's card: its paths as a tree, folded or open.
import { nodeKey, type PathRef, pathKey, readableSteps } from "../lineage/names";
import type { Row } from "./model";

interface Branch {
  readonly path: string[];
  readonly branches: Map<string, Branch>;
}

/**
 * The rows of the paths of one dataset, each below the one that it is nested in. `isOpen` tells which rows show what is
 * nested in them, by the keys of their nodes.
 */
export function rowsOf(
  paths: readonly PathRef[],
  labels: ReadonlyMap<string, string>,
  isOpen: (key: string) => boolean,
): Row[] {
  const [dataset] = paths;
  if (!dataset) {
    return [];
  }
  const root: Branch = { path: [], branches: new Map() };
  for (const { path } of paths) {
    insert(root, path);
  }
  const rows: Row[] = [];
  const list = (branch: Branch, depth: number) => {
    const node = { namespace: dataset.namespace, name: dataset.name, path: branch.path };
    const id = nodeKey(node);
    const steps = readableSteps(branch.path);
    const nested = branch.branches.size > 0;
    const open = nested && isOpen(id);
    const label = labels.get(id) ?? steps.join(".");
    rows.push({ id, path: branch.path, name: steps.at(-1) ?? "", label, depth, nested, open });
    if (open) {
      for (const inner of branch.branches.values()) {
        list(inner, depth + 1);
      }
    }
  };
  for (const branch of root.branches.values()) {
    list(branch, 0);
  }
  return rows;
}

/** The keys of the paths that the given one is nested in, outermost first, and its own. */
export function keysDownTo(node: PathRef): string[] {
  return groupsOf(node.path).map((_, index, groups) =>
    nodeKey({ ...node, path: groups.slice(0, index + 1).flat() }),
  );
}

function insert(root: Branch, path: readonly string[]): void {
  let branch = root;
  for (const group of groupsOf(path)) {
    const key = pathKey(group);
    let inner = branch.branches.get(key);
    if (!inner) {
      inner = { path: [...branch.path, ...group], branches: new Map() };
      branch.branches.set(key, inner);
    }
    branch = inner;
  }
}

/** The steps of a path, with those into an array's elements beside the array: they share a row. */
function groupsOf(path: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const step of path) {
    const last = groups.at(-1);
    if (step === "_element" && last) {
      last.push(step);
    } else {
      groups.push([step]);
    }
  }
  return groups;
}
