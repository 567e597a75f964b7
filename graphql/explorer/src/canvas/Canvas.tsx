// The picture on a canvas that is moved and zoomed; the layout comes from a worker, and the last picture stays until then.
import "@xyflow/react/dist/base.css";

import { Controls, MiniMap, ReactFlow, useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useState } from "react";

import { settings } from "../app/settings";
import { arrange } from "../layout/arrange";
import type { Places } from "../layout/elk_graph";
import type { Picture, Row, Selection } from "../picture/model";
import { routesOf } from "../picture/routes";
import { useWords } from "../words/words";
import { Actions, type CardNode, CardView } from "./cards";
import { Lines, type Lit } from "./Lines";

const NODE_TYPES = { card: CardView };
/** React Flow lets no pointer through to nodes that it does not select itself. */
const POINTED = { pointerEvents: "all" } as const;
const EMPTY = { picture: { cards: [], lines: [] }, places: new Map() } as const;

interface Props {
  readonly picture: Picture;
  readonly selection: Selection;
  /** The keys of nodes on the way of the selected path, and the lines of it. */
  readonly lit: (Lit & { readonly nodes: ReadonlySet<string> }) | null;
  readonly onSelect: (selection: Selection) => void;
  readonly onToggle: (row: Row) => void;
}

export function Canvas({ picture, selection, lit, onSelect, onToggle }: Props) {
  const words = useWords();
  const shown = useArranged(picture);
  const routes = useMemo(() => routesOf(shown.picture, shown.places), [shown]);
  const nodes = useMemo(() => nodesOf(shown, lit?.nodes ?? null, selection), [shown, lit, selection]);
  const actions = useMemo(() => ({ select: onSelect, toggle: onToggle }), [onSelect, onToggle]);
  return (
    <Actions value={actions}>
      <ReactFlow
        nodes={nodes}
        edges={[]}
        nodeTypes={NODE_TYPES}
        minZoom={0.02}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        onPaneClick={() => onSelect(null)}
        proOptions={{ hideAttribution: false }}
        aria-label={words.picture}
      >
        <Lines lines={shown.picture.lines} routes={routes} lit={lit} />
        <FitWhenNew places={shown.places} />
        <Controls showInteractive={false} />
        <MiniMap pannable zoomable ariaLabel={words.miniMap} />
      </ReactFlow>
    </Actions>
  );
}

interface Arranged {
  readonly picture: Picture;
  readonly places: Places;
}

/** The newest picture whose layout is known. */
function useArranged(picture: Picture): Arranged {
  const [arranged, setArranged] = useState<Arranged>(EMPTY);
  useEffect(() => {
    let wanted = true;
    arrange(picture, settings.assets).then((places) => wanted && setArranged({ picture, places }));
    return () => {
      wanted = false;
    };
  }, [picture]);
  return arranged;
}

function nodesOf(
  { picture, places }: Arranged,
  lit: ReadonlySet<string> | null,
  selection: Selection,
): CardNode[] {
  return picture.cards.flatMap((card, index) => {
    const box = places.get(card.id);
    if (!box) {
      return [];
    }
    const { x, y, width, height } = box;
    const size = { width, height, measured: { width, height } };
    return [
      {
        id: `${index}`,
        type: "card",
        position: { x, y },
        ...size,
        style: POINTED,
        data: { card, lit, selection },
      },
    ];
  });
}

/** Shows all cards whenever other cards are there than before. */
function FitWhenNew({ places }: { places: Places }) {
  const { fitView } = useReactFlow();
  const cards = [...places.keys()].sort().join("\u0001");
  useEffect(() => {
    if (cards) {
      fitView({ padding: 0.08, maxZoom: 1 });
    }
  }, [cards, fitView]);
  return null;
}
