// Paths that look personal and that nobody decided on: chosen, and then confirmed or rejected together.
import { useState } from "react";

import { Categories } from "../page/Categories";
import { Problem } from "../page/Problem";
import { nameOf } from "../privacy/Witness";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { nodeText, type Wish } from "./wish";

export function Proposals({ onWish }: { readonly onWish: (wish: Wish) => void }) {
  const words = useWords();
  const { classify } = words;
  const [count, setCount] = useState(50);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { data, error, isLoading } = useAnswer("ClassProposals", { first: count, after: null }, true);
  const all = data?.classProposals.edges.map(({ node }) => node) ?? [];
  const nodes = all.map(({ node }) => node).filter((node) => chosen.has(nodeText(node)));
  const toggle = (key: string) =>
    setChosen((before) => {
      const after = new Set(before);
      return after.delete(key) ? after : after.add(key);
    });
  return (
    <section>
      <h2>{classify.proposals}</h2>
      <p className="quiet">{classify.proposalsMean}</p>
      {isLoading && <output>{words.loading}</output>}
      {error && error.code !== "FORBIDDEN" && <Problem error={error} />}
      {data && all.length === 0 && <p>{classify.noProposals}</p>}
      {all.length > 0 && (
        <div className="choices">
          <label>
            <input
              type="checkbox"
              checked={nodes.length === all.length}
              onChange={({ target }) =>
                setChosen(new Set(target.checked ? all.map(({ node }) => nodeText(node)) : []))
              }
            />
            {classify.all}
          </label>
          {(["confirm", "reject"] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              disabled={nodes.length === 0}
              onClick={() => onWish({ kind, nodes })}
            >
              {classify.these[kind](nodes.length)}
            </button>
          ))}
        </div>
      )}
      <ul className="proposals">
        {all.map(({ node, categories, why, confidence }) => (
          <li key={nodeText(node)}>
            <label>
              <input
                type="checkbox"
                checked={chosen.has(nodeText(node))}
                onChange={() => toggle(nodeText(node))}
              />
              <strong>{nameOf(node)}</strong> <Categories keys={categories} />
            </label>
            <span className="quiet">
              {classify.confidence[confidence]} · {words.server.detail(why)} · {node.namespace}
            </span>
          </li>
        ))}
      </ul>
      {data?.classProposals.pageInfo.hasNextPage && count < 1_000 && (
        <button type="button" onClick={() => setCount(Math.min(count * 2, 1_000))}>
          {words.runs.more}
        </button>
      )}
    </section>
  );
}
