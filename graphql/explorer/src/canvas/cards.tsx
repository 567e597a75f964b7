// The cards of a picture as React draws them.
import { type Node, type NodeProps, useStore } from "@xyflow/react";
import { createContext, memo, useContext } from "react";
import { FindingMark } from "../colouring/FindingMark";
import { nodeKey } from "../lineage/names";
import type { Selection } from "../lineage/selection";
import type { Beyond, Card, Row } from "../picture/model";
import { isClosed, subtitleOf, titleOf } from "../picture/titles";
import { FormLetter } from "../privacy/FormMark";
import { ResidencyMark } from "../privacy/residency/ResidencyMark";
import { JobState } from "../runs/JobState";
import { PartSigns, Sign } from "../time/Sign";
import { useWords } from "../words/words";
import { Cut } from "./Cut";
import { FAR } from "./views";

export interface CardActions {
  readonly select: (selection: Selection) => void;
  /** Folds or opens a row. */
  readonly toggle: (row: Row) => void;
  /** Shows all paths of a dataset, or those on the lineage again. */
  readonly showWhole: (card: string) => void;
  /** Shows more of the rows that are left out. */
  readonly showMore: (card: string) => void;
  /** Follows the lineage beyond a card, or no longer. */
  readonly expand: (card: Card, way: "BACKWARD" | "FORWARD", depth: number) => void;
  readonly openGroup: (name: string) => void;
}

const nothing = () => {};
export const Actions = createContext<CardActions>({
  select: nothing,
  toggle: nothing,
  showWhole: nothing,
  showMore: nothing,
  expand: nothing,
  openGroup: nothing,
});

export interface LitNodes {
  /** The keys of nodes on the way of the selected path. */
  readonly nodes: ReadonlySet<string>;
  /** The keys of those that its value comes through. */
  readonly valueNodes: ReadonlySet<string>;
}

export type CardNode = Node<
  {
    card: Card;
    /** The number of the card in the picture, by which the keyboard finds it. */
    index: number;
    /** Whether the picture has so many cards that rows which cannot be read are left out. */
    many: boolean;
    /** Null where no path is selected. */
    lit: LitNodes | null;
    selection: Selection;
  },
  "card"
>;

export const CardView = memo(function CardView({ data }: NodeProps<CardNode>) {
  const words = useWords();
  const actions = useContext(Actions);
  const { card, index, many, selection } = data;
  const plain = useStore((state) => many && state.transform[2] < FAR);
  const selected = selection !== null && "card" in selection && selection.card === card.id;
  const states = [
    card.kind,
    card.start && "start",
    selected && "selected",
    card.gapCount > 0 && "gaps",
    card.ghost && "ghost",
    card.mark,
    isClosed(card) && "closed",
  ];
  return (
    <>
      <section
        className={`card ${states.filter(Boolean).join(" ")}`}
        aria-label={`${words.kinds[card.kind]} ${card.title}`}
      >
        <button
          type="button"
          className="card-head nopan"
          data-at={`${index}:head`}
          title={`${card.namespace} ${card.name}`}
          onClick={() => actions.select({ kind: card.kind, card: card.id })}
        >
          <span className="card-title">
            <Cut name={titleOf(card)} />
          </span>
          <span className="card-namespace">
            {card.residency && <ResidencyMark residency={card.residency} />}
            {card.kind === "group"
              ? words.canvas.inGroup(card.size)
              : isClosed(card)
                ? words.canvas.closed
                : subtitleOf(card)}
          </span>
          {card.gapCount > 0 && (
            <span className="gap-mark" title={words.gaps(card.gapCount)}>
              <span aria-hidden="true">?</span>
              <span className="unseen">{words.gaps(card.gapCount)}</span>
            </span>
          )}
          {card.kind === "job" && <JobState card={card.id} />}
          {card.mark && <Sign mark={card.mark} />}
          {card.partly && <PartSigns marks={card.partly} />}
          {card.form && <FormLetter form={card.form} />}
        </button>
        {card.kind === "group" && (card.members || card.opens) && (
          <button
            type="button"
            className="open-group nopan"
            onClick={() => actions.openGroup(card.opens ?? card.name)}
          >
            {words.canvas.openGroup}
          </button>
        )}
        {card.findings && <FindingMark findings={card.findings} />}
        {!plain && (card.rows.length > 0 || (card.left ?? 0) > 0) && (
          <ul className="rows">
            {card.rows.map((row, place) => (
              <RowView key={row.id} row={row} at={`${index}:${place}`} data={data} />
            ))}
            {(card.left ?? 0) > 0 && (
              <li className="row">
                <button
                  type="button"
                  className="more-rows nopan"
                  data-at={`${index}:${card.rows.length}`}
                  onClick={() => actions.showMore(card.id)}
                >
                  {words.canvas.moreRows(card.left ?? 0)}
                </button>
              </li>
            )}
          </ul>
        )}
      </section>
      <Expand card={card} side="before" beyond={card.before} />
      <Expand card={card} side="after" beyond={card.after} />
    </>
  );
});

interface ExpandProps {
  readonly card: Card;
  readonly side: "before" | "after";
  readonly beyond: Beyond | undefined;
}

/** The button at a side of a card: one step further; with Shift, all. */
function Expand({ card, side, beyond = "end" }: ExpandProps) {
  const words = useWords();
  const actions = useContext(Actions);
  if (beyond === "end") {
    return null;
  }
  const open = beyond === "expanded";
  const label = words.canvas.expand[open ? "fold" : side](card.title);
  return (
    <button
      type="button"
      className={`expand nopan ${side} ${beyond}`}
      aria-label={label}
      title={open ? label : `${label}\n${words.canvas.expandAll}`}
      onClick={(event) =>
        actions.expand(card, side === "before" ? "BACKWARD" : "FORWARD", event.shiftKey ? ALL_STEPS : 1)
      }
    >
      {open ? "−" : "+"}
    </button>
  );
}

const ALL_STEPS = 50;

function RowView({ row, at, data }: { row: Row; at: string; data: CardNode["data"] }) {
  const words = useWords();
  const actions = useContext(Actions);
  const { card, lit, selection } = data;
  const node = { namespace: card.namespace, name: card.name, path: row.path };
  const selected = selection?.kind === "path" && nodeKey(selection.node) === row.id;
  const state = selected ? "selected" : stateOf(row, lit);
  return (
    <li
      className={`row ${state} ${row.mark ?? ""} ${row.form ? `form ${row.form}` : ""}`}
      style={{ paddingLeft: 8 + 14 * row.depth }}
    >
      {row.nested ? (
        <button
          type="button"
          className="fold nopan"
          tabIndex={-1}
          aria-expanded={row.open}
          aria-label={`${row.open ? words.fold : words.unfold} ${row.label}`}
          onClick={() => actions.toggle(row)}
        >
          <span aria-hidden="true">{row.open ? "▾" : "▸"}</span>
        </button>
      ) : (
        <span className="fold" />
      )}
      <button
        type="button"
        className={`row-name nopan ${row.onLineage ? "" : "off"}`}
        data-at={at}
        title={row.label}
        aria-pressed={selected}
        onClick={() => actions.select(selected ? null : { kind: "path", node })}
      >
        <Cut name={row.name} />
      </button>
      {row.type && <span className="row-type">{row.type}</span>}
      {hasGap(card, row) && (
        <span className="gap-dot" title={words.gaps(1)}>
          <span aria-hidden="true">?</span>
          <span className="unseen">{words.notKnown}</span>
        </span>
      )}
      {row.findings && <FindingMark findings={row.findings} />}
      {row.form && <FormLetter form={row.form} />}
      {row.mark && <Sign mark={row.mark} />}
      {row.partly && <PartSigns marks={row.partly} />}
    </li>
  );
}

function stateOf(row: Row, lit: LitNodes | null): string {
  if (lit === null) {
    return "";
  }
  const on = (keys: ReadonlySet<string>) => row.keys.some((key) => keys.has(key));
  return on(lit.valueNodes) ? "lit" : on(lit.nodes) ? "lit influenced" : "faint";
}

/** Whether something is not known of what is at the row. */
function hasGap({ gaps, namespace, name }: Card, row: Row): boolean {
  return gaps.some(
    (gap) => gap.path.length > 0 && row.keys.includes(nodeKey({ namespace, name, path: gap.path })),
  );
}
