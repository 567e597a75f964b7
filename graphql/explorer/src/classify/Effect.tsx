// What a decision changes, before it is saved: the decisions themselves, and what is made of the paths downstream.
import { useQuery } from "@tanstack/react-query";
import { Problem } from "../page/Problem";
import type { ServerError } from "../server/client";
import { useAnswers } from "../server/useAnswer";
import { useWords } from "../words/words";
import { decide, nodeText, type Wish } from "./wish";

/** Of more paths than these, what is downstream is not asked for. */
const MOST = 10;
const LISTED = 12;

export function Effect({ wish }: { readonly wish: Wish }) {
  const words = useWords();
  const { classify } = words;
  const { data, error, isLoading } = useQuery<Awaited<ReturnType<typeof decide>>, ServerError>({
    queryKey: ["dry run", wish],
    queryFn: () => decide(wish, classify.preview, true),
  });
  const asked = wish.nodes.slice(0, MOST);
  const impacts = useAnswers(
    "Impact",
    asked.map(({ namespace, name, path }) => ({ node: { namespace, name, path } })),
  );
  const found = impacts.flatMap(({ data: each }) => (each ? [each.impact] : []));
  const failed = impacts.find((each) => each.error)?.error;
  const paths = found.flatMap(({ outputs }) =>
    outputs.flatMap((output) => output.paths.map((path) => ({ ...output, ...path, dataset: output.name }))),
  );
  const listed = new Map(paths.map((each) => [nodeText({ ...each, path: [each.label] }), each]));
  const datasets = new Set([...listed.values()].map(({ namespace, dataset }) => `${namespace} ${dataset}`));
  return (
    <section className="effect" aria-label={classify.effect}>
      <h3>{classify.effect}</h3>
      {(isLoading || impacts.some((each) => each.isLoading)) && <output>{words.loading}</output>}
      {error && <Problem error={error} />}
      {failed && <Problem error={failed} />}
      {data && <p>{classify.decisions(data.decisionCount)}</p>}
      {data && (
        <ul>
          {data.decisions.slice(0, LISTED).map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <p>{classify.downstream(listed.size, datasets.size)}</p>
      <ul className="downstream">
        {[...listed.values()].slice(0, LISTED).map(({ namespace, dataset, label, reach }) => (
          <li key={JSON.stringify([namespace, dataset, label])}>
            {dataset} {label !== dataset && label}{" "}
            {reach === "INFLUENCED" && <span className="quiet">{classify.influenced}</span>}
          </li>
        ))}
        {listed.size > LISTED && <li>{words.canvas.moreEdges(listed.size - LISTED)}</li>}
      </ul>
      {found.some(({ complete }) => !complete) && <p className="doubt">{classify.incomplete}</p>}
      {wish.nodes.length > MOST && <p className="doubt">{classify.tooMany(MOST, wish.nodes.length)}</p>}
    </section>
  );
}
