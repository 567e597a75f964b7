// The user functions of a job: read from code, declared or opaque, with the change that would make them readable.
import type { LineageEdge } from "../lineage/model";
import type { JobRef } from "../lineage/names";
import type { Answer } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";

type UserFunction = NonNullable<Answer<"Job">["job"]>["functions"][number];

/** The user functions that stand in the transformations of edges; nothing where there are none. */
export function FunctionsOf({
  job,
  edges,
}: {
  readonly job: JobRef;
  readonly edges: readonly LineageEdge[];
}) {
  const names = new Set(edges.flatMap((edge) => edge.transformations.flatMap((each) => each.functions)));
  const { namespace, name } = job;
  const { data } = useAnswer("Job", names.size > 0 && namespace !== "closed" ? { namespace, name } : null);
  return <FunctionList functions={data?.job?.functions.filter((each) => names.has(each.name)) ?? []} />;
}

export function FunctionList({ functions }: { readonly functions: readonly UserFunction[] }) {
  const words = useWords().functions;
  if (functions.length === 0) {
    return null;
  }
  return (
    <>
      <h3>{words.title}</h3>
      <ul className="functions">
        {functions.map((each) => (
          <li key={JSON.stringify(each)}>
            <code>{each.name}</code> {words.known[each.known] ?? each.known}
            {each.declaredBy && ` ${words.by(each.declaredBy)}`}
            {each.code && ` (${each.code.file}:${each.code.line})`}
            {each.why.map((why) => (
              <p key={why.code + why.reason} title={[why.reason, why.hint].filter(Boolean).join(": ")}>
                {words.why(why.code, why.reason, why.line, why.hint)}
              </p>
            ))}
            {each.differences.map((way) => (
              <p key={JSON.stringify(way)}>
                {words.difference[way.difference] ?? way.difference}:{" "}
                <code>
                  {[way.argument, ...way.source].join(".")} → {way.target.join(".") || words.result}
                </code>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
