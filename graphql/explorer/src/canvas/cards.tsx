// The cards of a picture as React draws them.
import type { Node, NodeProps } from "@xyflow/react";
import { createContext, memo, useContext } from "react";

import { nodeKey } from "../lineage/names";
import type { Card, Row, Selection } from "../picture/model";
import { useWords } from "../words/words";

export interface CardActions {
  readonly select: (selection: Selection) => void;
  readonly toggle: (row: Row) => void;
}

export const Actions = createContext<CardActions>({ select: () => {}, toggle: () => {} });

export type CardNode = Node<
  {
    card: Card;
    /** The keys of nodes on the way of the selected path; null where none is selected. */
    lit: ReadonlySet<string> | null;
    selection: Selection;
  },
  "card"
>;

export const CardView = memo(function CardView({ data: { card, lit, selection } }: NodeProps<CardNode>) {
  const words = useWords();
  const actions = useContext(Actions);
  const selected = selection !== null && "card" in selection && selection.card === card.id;
  const kind = card.kind === "group" ? "group" : card.kind;
  return (
    <section
      className={`card ${card.kind} ${card.start ? "start" : ""} ${selected ? "selected" : ""}`}
      aria-label={`${words.kinds[kind]} ${card.title}`}
    >
      <button
        type="button"
        className="card-head nopan"
        title={`${card.namespace} ${card.name}`}
        onClick={() => actions.select({ kind, card: card.id })}
      >
        <span className="card-title">{card.title}</span>
        {card.kind === "dataset" && <span className="card-namespace">{card.namespace}</span>}
        {card.gapCount > 0 && (
          <span className="gap-mark" title={words.gaps(card.gapCount)}>
            <span aria-hidden="true">?</span>
            <span className="unseen">{words.gaps(card.gapCount)}</span>
          </span>
        )}
      </button>
      {card.rows.length > 0 && (
        <ul className="rows">
          {card.rows.map((row) => (
            <RowView key={row.id} row={row} card={card} lit={lit} selection={selection} />
          ))}
        </ul>
      )}
    </section>
  );
});

function RowView({
  row,
  card,
  lit,
  selection,
}: {
  row: Row;
  card: Card;
  lit: ReadonlySet<string> | null;
  selection: Selection;
}) {
  const words = useWords();
  const actions = useContext(Actions);
  const node = { namespace: card.namespace, name: card.name, path: row.path };
  const selected = selection?.kind === "path" && nodeKey(selection.node) === row.id;
  const state = selected
    ? "selected"
    : lit === null
      ? ""
      : row.keys.some((key) => lit.has(key))
        ? "lit"
        : "faint";
  return (
    <li className={`row ${state}`} style={{ paddingLeft: 8 + 14 * row.depth }}>
      {row.nested ? (
        <button
          type="button"
          className="fold nopan"
          aria-expanded={row.open}
          aria-label={`${row.open ? words.fold : words.unfold} ${row.label}`}
          onClick={() => actions.toggle(row)}
        >
          {row.open ? "▾" : "▸"}
        </button>
      ) : (
        <span className="fold" />
      )}
      <button
        type="button"
        className="row-name nopan"
        title={row.label}
        aria-pressed={selected}
        onClick={() => actions.select(selected ? null : { kind: "path", node })}
      >
        {row.name}
      </button>
    </li>
  );
}
