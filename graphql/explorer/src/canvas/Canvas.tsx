// The picture on a canvas that is moved and zoomed; the layout comes from a worker, and the last picture stays until then.
import "@xyflow/react/dist/base.css";

import { Controls, MiniMap, ReactFlow, useReactFlow, useStore, useStoreApi } from "@xyflow/react";
import { type MouseEvent, useEffect, useMemo, useRef, useState } from "react";

import { settings } from "../app/settings";
import { useNarrow } from "../app/useMedia";
import { arrange, prepare } from "../layout/arrange";
import type { Places } from "../layout/elk_graph";
import type { Picture, Selection } from "../picture/model";
import { nearestLine } from "../picture/nearest";
import { type Route, routesOf } from "../picture/routes";
import { TakeAway } from "../take_away/TakeAway";
import { useWords } from "../words/words";
import { Actions, type CardActions, type CardNode, CardView, FAR, type LitNodes } from "./cards";
import { Lines, type Lit } from "./Lines";
import { useKeyboard } from "./useKeyboard";

prepare(settings.workers.layout);

const NODE_TYPES = { card: CardView };
/** React Flow lets no pointer through to nodes that it does not select itself. */
const POINTED = { pointerEvents: "all" } as const;
const EMPTY = { picture: { cards: [], lines: [] }, places: new Map() } as const;
/** In larger pictures, cards out of sight are left out, and lines are not looked for under a moving pointer. */
const MANY_CARDS = 300;
const MANY_LINES = 2000;
/** How near to a line a click has to be, in pixels. */
const REACH = 7;

/** What is left free beside what was selected, in pixels. */
const MARGIN = 24;
/** The same below it on a phone, where the legend is as wide as a card. */
const ABOVE_LEGEND = 64;

interface Props {
  readonly picture: Picture;
  readonly selection: Selection;
  /** What is on the way of the selected path. */
  readonly lit: (Lit & LitNodes) | null;
  /** What the picture leaves out, a sentence each. */
  readonly notes: readonly string[];
  readonly actions: CardActions;
}

export function Canvas({ picture, selection, lit, notes, actions }: Props) {
  const words = useWords();
  const shown = useArranged(picture);
  const routes = useMemo(() => routesOf(shown.picture, shown.places), [shown]);
  const nodes = useMemo(() => nodesOf(shown, lit, selection), [shown, lit, selection]);
  const drawing = useMemo(() => ({ ...shown, lit }), [shown, lit]);
  const [pointed, setPointed] = useState<string | null>(null);
  const lineAt = useLineAt(routes);
  const onKeyDown = useKeyboard(shown.picture, shown.places, actions);
  const far = useStore((state) => state.transform[2] < FAR);
  const selectLine = (event: MouseEvent) => {
    const line = lineAt(event);
    actions.select(line === null ? null : { kind: "line", line });
  };
  return (
    <Actions value={actions}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys move the focus among the buttons of cards */}
      <div className={`canvas ${far ? "far" : ""} ${pointed ? "on-line" : ""}`} onKeyDown={onKeyDown}>
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
          disableKeyboardA11y
          onlyRenderVisibleElements={nodes.length > MANY_CARDS}
          onPaneClick={selectLine}
          onPaneMouseMove={(event) => setPointed(routes.size > MANY_LINES ? null : lineAt(event))}
          onPaneMouseLeave={() => setPointed(null)}
          proOptions={{ hideAttribution: false }}
          aria-label={words.picture}
        >
          <Lines
            lines={shown.picture.lines}
            routes={routes}
            lit={lit}
            pointed={pointed ?? (selection?.kind === "line" ? selection.line : null)}
          />
          <FitWhenNew places={shown.places} start={shown.picture.cards.find((card) => card.start)?.id} />
          <KeepInView selection={selection} />
          <Controls showInteractive={false} />
          <MiniMap pannable zoomable ariaLabel={words.miniMap} nodeClassName={kindOfNode} />
        </ReactFlow>
        {shown.places.size > 0 && <TakeAway drawing={drawing} notes={notes} />}
      </div>
    </Actions>
  );
}

function kindOfNode({ data }: CardNode): string {
  return data.card.start ? "start" : data.card.kind;
}

/** The function that finds the line under a pointer. */
function useLineAt(routes: ReadonlyMap<string, Route>): (event: MouseEvent) => string | null {
  const { screenToFlowPosition, getZoom } = useReactFlow();
  return ({ clientX, clientY }) =>
    nearestLine(routes, screenToFlowPosition({ x: clientX, y: clientY }), REACH / getZoom());
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
    arrange(picture, settings.workers.layout).then((places) => wanted && setArranged({ picture, places }));
    return () => {
      wanted = false;
    };
  }, [picture]);
  return arranged;
}

function nodesOf({ picture, places }: Arranged, lit: LitNodes | null, selection: Selection): CardNode[] {
  const many = picture.cards.length > MANY_CARDS;
  return picture.cards.flatMap((card, index) => {
    const box = places.get(card.id);
    if (!box) {
      return [];
    }
    const { x, y, width, height } = box;
    return [
      {
        id: `${index}`,
        type: "card",
        position: { x, y },
        width,
        height,
        measured: { width, height },
        style: POINTED,
        data: { card, index, many, lit, selection },
      },
    ];
  });
}

/** A picture that grew within this number of cards is shown whole; of a larger one, the view stays where it is. */
const FEW_CARDS = 60;

/** The zoom at which the start is shown on a phone where the whole picture could not be read. */
const NEAR = 0.8;

interface FitProps {
  readonly places: Places;
  /** The id of the card from which the lineage starts. */
  readonly start: string | undefined;
}

/** Shows all cards of another picture, and what came to the one before; on a phone, what can be read of them. */
function FitWhenNew({ places, start }: FitProps) {
  const { fitView, getViewport, setCenter, setViewport } = useReactFlow();
  const store = useStoreApi();
  const narrow = useNarrow();
  const before = useRef<Places>(new Map());
  useEffect(() => {
    const [old, anchor] = [before.current, [...before.current.keys()].find((id) => places.has(id))];
    before.current = places;
    if (places.size === 0 || [...places.keys()].every((id) => old.has(id))) {
      return;
    }
    const { x, y, zoom } = getViewport();
    const [from, to] = anchor === undefined ? [] : [old.get(anchor), places.get(anchor)];
    if (!from || !to) {
      const first = narrow && start !== undefined ? places.get(start) : undefined;
      fitView({ padding: 0.08, maxZoom: 1 }).then(() => {
        if (first && getViewport().zoom < FAR) {
          const seen = Math.min(first.height, store.getState().height / NEAR - 2 * MARGIN);
          setCenter(first.x + first.width / 2, first.y + seen / 2, { zoom: NEAR });
        }
      });
      return;
    }
    const moved = { x: x + (from.x - to.x) * zoom, y: y + (from.y - to.y) * zoom, zoom };
    if (!isAnySeen(places, moved, store.getState())) {
      fitView({ padding: 0.08, maxZoom: 1 });
      return;
    }
    setViewport(moved);
    if (places.size <= FEW_CARDS && !(narrow && zoom >= FAR)) {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      fitView({ padding: 0.08, maxZoom: Math.max(zoom, 0.6), duration: still ? 0 : 250 });
    }
  }, [places, start, narrow, store, fitView, getViewport, setCenter, setViewport]);
  return null;
}

/** Whether some card is in the window at that view. */
function isAnySeen(
  places: Places,
  { x, y, zoom }: { readonly x: number; readonly y: number; readonly zoom: number },
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  return [...places.values()].some((box) => {
    const [left, top] = [x + box.x * zoom, y + box.y * zoom];
    return left < width && top < height && left + box.width * zoom > 0 && top + box.height * zoom > 0;
  });
}

/** Moves the picture so far that the details, which open at the right or below, do not cover what was selected. */
function KeepInView({ selection }: { selection: Selection }) {
  const { getViewport, setViewport } = useReactFlow();
  const narrow = useNarrow();
  useEffect(() => {
    if (selection === null) {
      return;
    }
    const frame = requestAnimationFrame(() => {
      const selected = document.querySelector(".canvas .selected")?.getBoundingClientRect();
      const stage = document.querySelector(".canvas")?.getBoundingClientRect();
      if (!selected || !stage) {
        return;
      }
      const over = Math.max(0, selected.right + MARGIN - stage.right);
      const room = selected.top - MARGIN - stage.top;
      const free = narrow ? ABOVE_LEGEND : MARGIN;
      const below = Math.max(0, Math.min(room, selected.bottom + free - stage.bottom));
      if (over > 0 || below > 0) {
        const { x, y, zoom } = getViewport();
        setViewport({ x: x - over, y: y - below, zoom });
      }
    });
    return () => cancelAnimationFrame(frame);
  }, [selection, narrow, getViewport, setViewport]);
  return null;
}
