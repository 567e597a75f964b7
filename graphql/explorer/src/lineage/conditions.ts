// The predicates by which a job filters, joins or decides, as its facet `headwater_conditions` has them.
import type { LineageEdge, LineageNode } from "./model";
import { datasetKey, holds, type PathRef } from "./names";

export interface Condition {
  readonly access: string;
  readonly sql: string;
  /** The paths that it reads. */
  readonly reads: readonly PathRef[];
}

/** The conditions in a job's facets; what is not as it should be is left out. */
export function conditionsIn(facets: unknown): Condition[] {
  const listed = at(at(facets, "headwater_conditions"), "conditions");
  return (Array.isArray(listed) ? listed : []).flatMap((each: unknown): Condition[] => {
    const [access, sql] = [at(each, "access"), at(each, "sql")];
    return typeof access === "string" && typeof sql === "string"
      ? [{ access, sql, reads: pathsIn(at(each, "expression")) }]
      : [];
  });
}

interface Making {
  readonly predicates: readonly { access: string; sql: string; expression: unknown }[] | null;
}

/** The conditions under which several runs made something. */
export function conditionsMade(makings: readonly Making[]): Condition[] {
  return makings.flatMap(({ predicates }) =>
    (predicates ?? []).map(({ access, sql, expression }) => ({ access, sql, reads: pathsIn(expression) })),
  );
}

/** Those conditions by which the edge's source influences its target. */
export function conditionsOf(
  conditions: readonly Condition[],
  edge: LineageEdge,
  source: LineageNode,
): Condition[] {
  const purposes = new Set(edge.transformations.flatMap((each) => each.access ?? each.subtype));
  return conditions.filter(
    ({ access, reads }) =>
      purposes.has(access) && (reads.length === 0 || reads.some((path) => meets(path, source))),
  );
}

function meets(one: PathRef, other: PathRef): boolean {
  return (
    datasetKey(one) === datasetKey(other) && (holds(one.path, other.path) || holds(other.path, one.path))
  );
}

/** All paths in an expression, which is a tree of operations over them. */
function pathsIn(expression: unknown): PathRef[] {
  if (Array.isArray(expression)) {
    return expression.flatMap(pathsIn);
  }
  if (typeof expression !== "object" || expression === null) {
    return [];
  }
  const [namespace, name, path] = [
    at(expression, "namespace"),
    at(expression, "name"),
    at(expression, "path"),
  ];
  if (typeof namespace === "string" && typeof name === "string" && Array.isArray(path)) {
    return [{ namespace, name, path: path.map(String) }];
  }
  return Object.values(expression).flatMap(pathsIn);
}

function at(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}
