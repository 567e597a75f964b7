// The strip over the picture: whether all of the lineage is known and shown; it lists what is not, and leads there.
import { useMemo } from "react";

import type { Lineage } from "../lineage/graph";
import { grouped } from "../lineage/grouped";
import type { Selection } from "../lineage/selection";
import { completenessOf, isComplete, said } from "../picture/completeness";
import type { Picture } from "../picture/model";
import { useWords } from "../words/words";

interface Props {
  readonly lineage: Lineage;
  readonly picture: Picture;
  readonly onSelect: (selection: Selection) => void;
}

export function Strip({ lineage, picture, onSelect }: Props) {
  const words = useWords();
  const known = useMemo(() => completenessOf(lineage), [lineage]);
  const text = said(known, words.completeness);
  const where = picture.cards.filter((card) => card.gaps.length > 0);
  if (where.length === 0) {
    return <output className={`strip ${isComplete(known) ? "complete" : ""}`}>{text}</output>;
  }
  return (
    <details className="strip gaps">
      <summary>{text}</summary>
      <ul aria-label={words.completeness.where}>
        {where.map(({ id, kind, title, gaps }) => (
          <li key={id}>
            <button type="button" className="link" onClick={() => onSelect({ kind, card: id })}>
              {title}
            </button>{" "}
            {[...grouped(gaps, (gap) => gap.reason)]
              .map(([reason, some]) => `${reason}${some.length > 1 ? ` × ${some.length}` : ""}`)
              .join(", ")}
          </li>
        ))}
      </ul>
    </details>
  );
}
