// The strip over the picture: whether all of the lineage is known and shown; it lists what is not, and leads there.
import { useState } from "react";

import { grouped } from "../lineage/grouped";
import type { Selection } from "../lineage/selection";
import { type Completeness, completenessText, isComplete } from "../picture/completeness";
import type { Card, Picture } from "../picture/model";
import { useWords } from "../words/words";

interface Props {
  readonly known: Completeness;
  readonly picture: Picture;
  readonly onSelect: (selection: Selection) => void;
}

export function Strip({ known, picture, onSelect }: Props) {
  const words = useWords();
  const [open, setOpen] = useState(false);
  const text = completenessText(known, words.completeness);
  const where = picture.cards.filter((card) => card.gapCount > 0);
  if (where.length === 0) {
    return <output className={`strip ${isComplete(known) ? "complete" : ""}`}>{text}</output>;
  }
  return (
    <details className="strip gaps" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text}</summary>
      {open && <Where cards={where} onSelect={onSelect} />}
    </details>
  );
}

/** The cards at which something is not known: in a whole store, these may be thousands. */
function Where({ cards, onSelect }: { readonly cards: readonly Card[] } & Pick<Props, "onSelect">) {
  const words = useWords();
  return (
    <ul aria-label={words.completeness.where}>
      {cards.map((card) => (
        <li key={card.id}>
          <button type="button" className="link" onClick={() => onSelect({ kind: card.kind, card: card.id })}>
            {card.title}
          </button>{" "}
          {gapsAt(card) || words.gaps(card.gapCount)}
        </li>
      ))}
    </ul>
  );
}

/** The reasons of a card's gaps; none in a whole store, whose cards have their number alone. */
function gapsAt({ gaps }: Card): string {
  return [...grouped(gaps, (gap) => gap.reason)]
    .map(([reason, some]) => `${reason}${some.length > 1 ? ` × ${some.length}` : ""}`)
    .join(", ");
}
