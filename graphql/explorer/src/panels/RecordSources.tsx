// The sources that one record of a dataset has its values from: those of all the chosen paths, and of some alone.
import { type FormEvent, useId } from "react";

import { type DatasetRef, pathKey, readableSteps, shortName } from "../lineage/names";
import { useAddress } from "../page/address";
import { Problem } from "../page/Problem";
import type { Answer } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { Gaps } from "./Gaps";

type Sources = Answer<"RecordSources">["recordSources"];
type Rows = Sources["attributes"][number]["alone"][number];

export function RecordSources({ dataset: { namespace, name } }: { readonly dataset: DatasetRef }) {
  const words = useWords();
  const [{ record, where, asOf }, go] = useAddress();
  const field = useId();
  const schema = useAnswer("DatasetPaths", { namespace, name });
  const paths = leavesOf(schema.data?.dataset?.paths.map(({ path }) => path) ?? []);
  const chosen = paths.filter((path) => record.some((each) => pathKey(each) === pathKey(path)));
  const attributes = chosen.map((path) => ({ namespace, name, path }));
  const { data, error, isLoading } = useAnswer(
    "RecordSources",
    attributes.length > 0 ? { attributes, asOf, where: where || null } : null,
  );
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new Set(new FormData(event.currentTarget).getAll(field));
    go({ record: paths.filter((path) => given.has(pathKey(path))) }, "same");
  };
  const problem = schema.error ?? error;
  return (
    <section className="record-sources" aria-label={words.active.record.title}>
      <h3>{words.active.record.title}</h3>
      <form key={chosen.map(pathKey).join("\u0001")} onSubmit={choose}>
        <fieldset>
          <legend>{words.active.record.choose}</legend>
          {paths.map((path) => (
            <label key={pathKey(path)}>
              <input
                type="checkbox"
                name={field}
                value={pathKey(path)}
                defaultChecked={chosen.includes(path)}
              />
              {readableSteps(path).join(".")}
            </label>
          ))}
        </fieldset>
        <button type="submit">{words.active.ask}</button>
      </form>
      {isLoading && <output>{words.loading}</output>}
      {problem && <Problem error={problem} />}
      {data && <Found found={data.recordSources} />}
    </section>
  );
}

function Found({ found: { shared, attributes, incomplete } }: { readonly found: Sources }) {
  const { record: words } = useWords().active;
  return (
    <>
      {shared.length === 0 && <p>{words.none}</p>}
      {shared.map(({ dataset, rows }) => (
        <Concerned key={`${dataset.namespace} ${dataset.name}`} title={words.all} rows={rows} />
      ))}
      {attributes.map(({ node, alone, hasNone }) => (
        <div key={pathKey(node.path)}>
          {alone.length > 0 && <Concerned title={words.alone(node.label)} rows={alone} />}
          {hasNone && <p>{words.hasNone(node.label)}</p>}
        </div>
      ))}
      <Gaps gaps={incomplete} />
    </>
  );
}

function Concerned({ title, rows }: { readonly title: string; readonly rows: readonly Rows[] }) {
  const { record: words } = useWords().active;
  const [, go] = useAddress();
  return (
    <>
      <h4>{title}</h4>
      <ul>
        {rows.map(({ node, condition }) => (
          <li key={`${node.namespace} ${node.name} ${node.label} ${condition}`}>
            <button
              type="button"
              className="link"
              title={node.name}
              onClick={() => go({ dataset: { namespace: node.namespace, name: node.name }, path: node.path })}
            >
              {[shortName(node.name), ...(node.path.length > 0 ? [node.label] : [])].join(" · ")}
            </button>{" "}
            {condition ? <code>{condition}</code> : <span className="quiet">{words.anyRow}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The paths without others below them: a value is there. */
export function leavesOf(paths: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const above = new Set(paths.flatMap((path) => path.map((_, depth) => pathKey(path.slice(0, depth)))));
  return paths.filter((path) => !above.has(pathKey(path)));
}
