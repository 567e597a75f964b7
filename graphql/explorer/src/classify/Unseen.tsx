// Sources that no steward looked through: until then, answers about personal data that pass them are not complete.
import { useMemo, useState } from "react";
import { datasetKey } from "../lineage/names";
import { useAddress } from "../page/address";
import { Problem } from "../page/Problem";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import type { Wish } from "./wish";

const MOST_CLASSES = 1_000;

export function Unseen({ onWish }: { readonly onWish: (wish: Wish) => void }) {
  const words = useWords();
  const { classify } = words;
  const [, go] = useAddress();
  const [count, setCount] = useState(50);
  const { data, error } = useAnswer("Sources", { first: count }, true);
  const classes = useAnswer("Classes", { first: MOST_CLASSES });
  const seen = useMemo(() => {
    const known = classes.data?.classes.edges ?? [];
    const whole = known.filter(({ node }) => node.source === "STEWARD" && node.node.path.length === 0);
    return new Set(whole.map(({ node }) => datasetKey(node.node)));
  }, [classes.data]);
  const all = data?.sources.edges.map(({ node }) => node) ?? [];
  const unseen = all.filter((source) => !seen.has(datasetKey(source)));
  return (
    <section>
      <h2>{classify.unseen}</h2>
      <p className="quiet">{classify.unseenMeans}</p>
      {error && error.code !== "FORBIDDEN" && <Problem error={error} />}
      {data && classes.data && unseen.length === 0 && <p>{classify.allSeen}</p>}
      {classes.data && (
        <ul className="proposals">
          {unseen.map(({ namespace, name }) => (
            <li key={datasetKey({ namespace, name })}>
              <button
                type="button"
                className="link"
                onClick={() =>
                  go({ view: "picture", dataset: { namespace, name }, path: [], attribute: null })
                }
              >
                {name}
              </button>{" "}
              <span className="quiet">{namespace}</span>{" "}
              <button
                type="button"
                onClick={() =>
                  onWish({ kind: "classify", nodes: [{ namespace, name, path: [] }], categories: [] })
                }
              >
                {classify.looked}
              </button>
            </li>
          ))}
        </ul>
      )}
      {data?.sources.pageInfo.hasNextPage && count < 1_000 && (
        <button type="button" onClick={() => setCount(Math.min(count * 2, 1_000))}>
          {words.runs.more}
        </button>
      )}
    </section>
  );
}
