// One path: its classes, and the categories that it is to have.
import { useId, useState } from "react";
import type { PathRef } from "../lineage/names";
import { Categories } from "../page/Categories";
import { Problem } from "../page/Problem";
import { placeName } from "../privacy/Witness";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { nodeText, type Wish } from "./wish";

interface Props {
  readonly node: PathRef;
  readonly onWish: (wish: Wish) => void;
  readonly onClose: () => void;
}

export function ClassifyPath({ node, onWish, onClose }: Props) {
  const words = useWords();
  const { classify } = words;
  const { namespace, name, path } = node;
  const { data, error } = useAnswer("Classes", { node: { namespace, name, path }, first: 100 });
  const [text, setText] = useState("");
  const label = useId();
  const classes = (data?.classes.edges ?? []).filter((edge) => nodeText(edge.node.node) === nodeText(node));
  const categories = text.split(/[,;\s]+/).filter(Boolean);
  return (
    <section aria-labelledby={label}>
      <h2 id={label}>{classify.path(placeName(node))}</h2>
      {error && <Problem error={error} />}
      <ul>
        {classes.map(({ node: each }) => (
          <li key={JSON.stringify(each)}>
            <strong>
              {each.categories.length > 0 ? (
                <Categories keys={each.categories} written />
              ) : (
                classify.notPersonal
              )}
            </strong>{" "}
            · {each.by ?? classify.sources[each.source]} · {words.server.detail(each.reason)}
          </li>
        ))}
        {data && classes.length === 0 && <li className="quiet">{classify.undecided}</li>}
      </ul>
      <div className="choices">
        <label>
          {classify.categories}{" "}
          <input
            type="text"
            value={text}
            placeholder="user.contact.email"
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <button
          type="button"
          disabled={categories.length === 0}
          onClick={() => onWish({ kind: "classify", nodes: [node], categories })}
        >
          {classify.seeEffect}
        </button>
        <button type="button" onClick={() => onWish({ kind: "classify", nodes: [node], categories: [] })}>
          {classify.isNotPersonal}
        </button>
        <button type="button" onClick={onClose}>
          {classify.leave}
        </button>
      </div>
    </section>
  );
}
