// Of active lineage: the ways that no data can take, and where it stopped because of too many ways.
import { type Effect, edgeKey, type LineageEdge, type LineageNode, type Pruned, type Stopped } from "./model";
import { datasetKey, nodeKey, type Way } from "./names";

/** The sign on lines that no data can take. */
export const PRUNED_SIGN = "×";

export interface Stop {
  readonly way: Exclude<Way, "BOTH">;
  /** How many ways were followed. */
  readonly ways: number;
  /** The paths at which it stopped, as people read them. */
  readonly at: readonly string[];
  /** Conditions to go on with. */
  readonly choices: Stopped["choices"];
}

/** The edges that no data can take, each with its key. */
export function prunedOf(pruned: readonly Pruned[]): [string, LineageEdge][] {
  return pruned.map((each): [string, LineageEdge] => {
    const [source, target] = [nodeKey(each.source), nodeKey(each.target)];
    const { job, transformations, because } = each;
    const key = edgeKey(source, target, job);
    return [key, { key, source, target, job, transformations, because }];
  });
}

/** The nodes at the ends of such edges. As the answer has no distance of theirs, they are a step beyond the dataset to
 * which the edge was followed. */
export function nodesBeyond(
  pruned: readonly Pruned[],
  known: ReadonlyMap<string, LineageNode>,
  sign: -1 | 1,
): Map<string, LineageNode> {
  const distances = new Map<string, number>();
  for (const node of known.values()) {
    const [key, least] = [datasetKey(node), distances.get(datasetKey(node))];
    if (least === undefined || Math.abs(node.distance) < Math.abs(least)) {
      distances.set(key, node.distance);
    }
  }
  for (let waiting = pruned, left = -1; waiting.length > 0 && waiting.length !== left; ) {
    left = waiting.length;
    waiting = waiting.filter((edge) => {
      const [near, far] = sign < 0 ? [edge.target, edge.source] : [edge.source, edge.target];
      const distance = distances.get(datasetKey(near));
      if (distance !== undefined && !distances.has(datasetKey(far))) {
        distances.set(datasetKey(far), distance + sign);
      }
      return distance === undefined;
    });
  }
  const ends = pruned.flatMap(({ source, target }) => [source, target]);
  return new Map(
    ends.map(({ namespace, name, path, label }): [string, LineageNode] => {
      const node = { namespace, name, path, label };
      const key = nodeKey(node);
      return [key, { ...node, key, distance: distances.get(datasetKey(node)) ?? sign }];
    }),
  );
}

export function stopOf({ ways, at, choices }: Stopped, sign: -1 | 1): Stop {
  const way = sign < 0 ? "BACKWARD" : "FORWARD";
  return { way, ways, at: at.map(({ name, label }) => `${name} · ${label}`), choices };
}

/** What conditions exclude in two answers together. */
export function joinedEffects(one: readonly Effect[], other: readonly Effect[]): Effect[] {
  const joined = new Map(one.map((effect) => [effect.sql, effect]));
  for (const effect of other) {
    const known = joined.get(effect.sql);
    joined.set(
      effect.sql,
      known
        ? { sql: effect.sql, near: sum(known.near, effect.near), all: sum(known.all, effect.all) }
        : effect,
    );
  }
  return [...joined.values()];
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** Both conditions as one. */
export function conjoined(one: string, other: string): string {
  const part = (text: string) => (/\bor\b/i.test(text) ? `(${text})` : text);
  return one.trim() === "" ? other : `${part(one)} AND ${part(other)}`;
}
