// Datasets of a job or run; each leads to its lineage.

import type { DatasetRef } from "../lineage/names";
import { useAddress } from "../page/address";
import { useCounted } from "../time/localised";
import { useWords } from "../words/words";

interface Props {
  readonly title: string;
  readonly datasets: readonly (DatasetRef & { readonly rows?: number | null })[];
}

export function DatasetList({ title, datasets }: Props) {
  const words = useWords().runs;
  const counted = useCounted();
  const [, go] = useAddress();
  return (
    <section>
      <h2>{title}</h2>
      {datasets.length === 0 && <p className="quiet">–</p>}
      <ul>
        {datasets.map(({ namespace, name, rows }) => (
          <li key={JSON.stringify([namespace, name])}>
            <button
              type="button"
              className="link"
              title={words.showLineage}
              onClick={() => go({ view: "picture", dataset: { namespace, name }, path: [], job: null })}
            >
              {name}
            </button>
            <span className="quiet"> {namespace}</span>
            {rows != null && ` · ${counted(rows)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
