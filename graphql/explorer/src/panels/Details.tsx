// What is known of the selected card, path or line, in words: it says all that the picture shows.
import { type ReactNode, useEffect } from "react";
import type { CardActions } from "../canvas/cards";
import { type Lineage, NOTHING } from "../lineage/graph";
import { type DatasetRef, datasetKey, type PathRef, readableSteps, shortName } from "../lineage/names";
import type { Selection } from "../lineage/selection";
import { isActive, useAddress } from "../page/address";
import type { Card, Picture } from "../picture/model";
import { isClosed } from "../picture/titles";
import { WhoHoldsIt } from "../privacy/Holdings";
import { ResidencyDetails } from "../privacy/residency/ResidencyDetails";
import { NewestRuns } from "../runs/NewestRuns";
import { Owners } from "../runs/Owners";
import { ProgramOf } from "../runs/ProgramOf";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { EdgeDetails } from "./EdgeDetails";
import { EdgesOfPath } from "./EdgesOfPath";
import { Gaps } from "./Gaps";
import { MadeBy } from "./MadeBy";
import { RecordSources } from "./RecordSources";

interface Props {
  readonly lineage: Lineage;
  readonly picture: Picture;
  readonly selection: Selection;
  readonly actions: CardActions;
  readonly asOf: string | null;
  readonly onClose: () => void;
}

export function Details({ lineage = NOTHING, picture, selection, actions, asOf, onClose }: Props) {
  const words = useWords();
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === "Escape" && !event.defaultPrevented && onClose();
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [onClose]);
  const title = selection && titleOf(selection, picture, words.arrow);
  if (selection === null || title === null) {
    return null;
  }
  return (
    <aside className="details" aria-label={words.details}>
      <button type="button" className="close" aria-label={words.close} title={words.close} onClick={onClose}>
        ×
      </button>
      <p className="kind">{words.kinds[selection.kind]}</p>
      <h2>{title}</h2>
      {contentOf(selection, lineage, picture, actions, asOf)}
    </aside>
  );
}

function titleOf(selection: NonNullable<Selection>, { cards, lines }: Picture, arrow: string): string | null {
  const titled = (id: string | undefined) => cards.find((card) => card.id === id)?.title;
  if (selection.kind === "path") {
    return readableSteps(selection.node.path).join(".");
  }
  if (selection.kind === "line") {
    const line = lines.find((each) => each.id === selection.line);
    return line ? `${titled(line.source.card)} ${arrow} ${titled(line.target.card)}` : null;
  }
  return titled(selection.card) ?? null;
}

function contentOf(
  selection: NonNullable<Selection>,
  lineage: Lineage,
  picture: Picture,
  actions: CardActions,
  asOf: string | null,
): ReactNode {
  if (selection.kind === "line") {
    const line = picture.lines.find((each) => each.id === selection.line);
    return line && <EdgeDetails line={line} lineage={lineage} asOf={asOf} onSelect={actions.select} />;
  }
  if (selection.kind === "path") {
    const { node } = selection;
    const card = picture.cards.find((each) => each.id === datasetKey(node));
    const gaps =
      card?.gaps.filter((gap) => gap.path.every((step, at) => (node.path[at] ?? step) === step)) ?? [];
    return (
      <>
        <Names dataset={node} />
        <div className="choices">
          <ShowLineage node={node} />
          <WhoHoldsIt node={node} />
          <ClassifyIt node={node} />
        </div>
        <EdgesOfPath lineage={lineage} picture={picture} node={node} onSelect={actions.select} />
        <MadeBy lineage={lineage} node={node} />
        <Gaps gaps={gaps} />
      </>
    );
  }
  const card = picture.cards.find((each) => each.id === selection.card);
  return card && <CardDetails card={card} actions={actions} />;
}

function CardDetails({ card, actions }: { card: Card; actions: CardActions }) {
  const words = useWords();
  const [address, go] = useAddress();
  const withPaths = address.dataset !== null && (address.level === "PATH" || address.level === "COLUMN");
  return (
    <>
      {card.kind === "group" ? (
        <>
          <p>
            {words.canvas.inGroup(card.size)}
            {card.exposed !== undefined && ` · ${words.canvas.exposedInGroup(card.exposed)}`}
          </p>
          {(card.members || card.opens) && (
            <button type="button" onClick={() => actions.openGroup(card.opens ?? card.name)}>
              {words.canvas.openGroup}
            </button>
          )}
        </>
      ) : (
        <Names dataset={card} />
      )}
      {card.kind === "dataset" && (
        <div className="choices">
          <ShowLineage node={{ namespace: card.namespace, name: card.name, path: [] }} />
          {withPaths && (
            <button
              type="button"
              aria-pressed={card.whole ?? false}
              onClick={() => actions.showWhole(card.id)}
            >
              {words.canvas.allPaths}
            </button>
          )}
        </div>
      )}
      {card.kind === "job" && !isClosed(card) && (
        <div className="choices">
          <button
            type="button"
            className="primary"
            onClick={() => go({ view: "runs", job: { namespace: card.namespace, name: card.name } })}
          >
            {words.canvas.runsOfJob}
          </button>
        </div>
      )}
      {card.kind === "job" && !isClosed(card) && <ProgramOf job={card} />}
      {isActive(address) && isStart(card, address.dataset) && <RecordSources dataset={card} />}
      {card.kind === "dataset" && !isClosed(card) && <OwnersOf dataset={card} />}
      {card.kind === "dataset" && <ResidencyDetails dataset={card} />}
      {card.before && card.before !== "end" && <Further card={card} side="before" actions={actions} />}
      {card.after && card.after !== "end" && <Further card={card} side="after" actions={actions} />}
      <Gaps gaps={card.gaps} />
      {card.kind === "dataset" && !isClosed(card) && <NewestRuns dataset={card} />}
    </>
  );
}

function isStart(card: Card, start: DatasetRef | null): boolean {
  return start !== null && card.kind === "dataset" && datasetKey(card) === datasetKey(start);
}

function Further({ card, side, actions }: { card: Card; side: "before" | "after"; actions: CardActions }) {
  const words = useWords();
  const way = side === "before" ? "BACKWARD" : "FORWARD";
  if (card[side] === "expanded") {
    return (
      <button type="button" className="further" onClick={() => actions.expand(card, way, 1)}>
        {words.canvas.expand.fold(card.title)}
      </button>
    );
  }
  return (
    <div className="further">
      <span>{words.canvas.further[side]}</span>
      <button type="button" onClick={() => actions.expand(card, way, 1)}>
        {words.canvas.oneStep}
      </button>
      <button type="button" onClick={() => actions.expand(card, way, 50)}>
        {words.canvas.allSteps}
      </button>
    </div>
  );
}

function ClassifyIt({ node }: { node: PathRef }) {
  const words = useWords();
  const [, go] = useAddress();
  return (
    <button type="button" onClick={() => go({ view: "classify", attribute: node })}>
      {words.classify.pathButton}
    </button>
  );
}

function OwnersOf({ dataset: { namespace, name } }: { dataset: DatasetRef }) {
  const { data } = useAnswer("DatasetPaths", { namespace, name });
  return (
    data?.dataset && (
      <dl>
        <Owners owners={data.dataset.owners} />
      </dl>
    )
  );
}

function Names({ dataset }: { dataset: { namespace: string; name: string } }) {
  const words = useWords();
  return (
    <dl>
      <dt>{words.namespace}</dt>
      <dd>{dataset.namespace}</dd>
      <dt>{words.canvas.name}</dt>
      <dd title={shortName(dataset.name)}>{dataset.name}</dd>
    </dl>
  );
}

function ShowLineage({ node: { namespace, name, path } }: { node: PathRef }) {
  const words = useWords();
  const [, go] = useAddress();
  return (
    <button
      type="button"
      className="primary"
      onClick={() => go({ dataset: { namespace, name }, path, expanded: [], open: [] })}
    >
      {words.showLineage}
    </button>
  );
}
