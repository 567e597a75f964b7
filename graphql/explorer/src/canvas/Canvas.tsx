// The picture on a canvas that is moved and zoomed; the layout comes from a worker, and the last picture stays until then.
import "@xyflow/react/dist/base.css";

import {
  ControlButton,
  Controls,
  ReactFlow,
  useReactFlow,
  useStore,
  useStoreApi,
  type Viewport,
} from "@xyflow/react";
import { type CSSProperties, type MouseEvent, useEffect, useMemo, useRef, useState } from "react";
import { arrange, prepare } from "../layout/arrange";
import type { Places } from "../layout/elk_graph";
import { nearestLine } from "../layout/nearest";
import { type Route, routesOf } from "../layout/routes";
import type { Selection } from "../lineage/selection";
import type { Box, Size } from "../picture/measures";
import type { Card, Picture } from "../picture/model";
import { settings } from "../state/settings";
import { useNarrow } from "../state/useMedia";
import { TakeAway } from "../take_away/TakeAway";
import { useWords } from "../words/words";
import { Because } from "./Because";
import { Actions, type CardActions, type CardNode, CardView, type LitNodes } from "./cards";
import { cardAt, type InView, MANY_CARDS, useInView } from "./in_view";
import { Lines, type Lit } from "./Lines";
import { Overview } from "./Overview";
import { useKeyboard } from "./useKeyboard";
import { around, FAR, NAMES_ONLY, openingView, shows, steppedZoom, textSize, viewOf } from "./views";

prepare(settings.workers.layout);

const NODE_TYPES = { card: CardView };
/** React Flow lets no pointer through to nodes that it does not select itself. */
const POINTED = { pointerEvents: "all" } as const;
const EMPTY = { picture: { cards: [], lines: [] }, places: new Map() } as const;
/** In larger pictures, lines are not looked for under a moving pointer. */
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
  const all = useMemo(() => nodesOf(shown, lit, selection), [shown, lit, selection]);
  const [moving, setMoving] = useState(false);
  const inView = useInView(all.length, moving);
  const nodes = useMemo(() => all.filter((node) => isElement(node, inView)), [all, inView]);
  const drawing = useMemo(() => ({ ...shown, lit }), [shown, lit]);
  const [pointed, setPointed] = useState<string | null>(null);
  const [over, setOver] = useState<Card | null>(null);
  const lineAt = useLineAt(routes);
  const { screenToFlowPosition } = useReactFlow();
  const paintedAt = ({ clientX, clientY }: MouseEvent) =>
    inView.painted
      ? cardAt(shown.picture.cards, shown.places, screenToFlowPosition({ x: clientX, y: clientY }))
      : null;
  const near = pointed ?? (selection?.kind === "line" ? selection.line : null);
  const onKeyDown = useKeyboard(shown.picture, shown.places, actions);
  const zoom = useRestingZoom(moving);
  const onWay = useMemo(() => cardsOn(lit, shown.picture), [lit, shown.picture]);
  const selectAt = (event: MouseEvent) => {
    const card = paintedAt(event);
    if (card) {
      actions.select({ kind: card.kind, card: card.id });
      return;
    }
    const line = lineAt(event);
    actions.select(line === null ? null : { kind: "line", line });
  };
  return (
    <Actions value={actions}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys move the focus among the buttons of cards */}
      <div
        className={`canvas ${zoom < FAR ? "far" : zoom < NAMES_ONLY ? "names-only" : ""} ${pointed || over ? "on-line" : ""} ${moving ? "moving" : ""}`}
        title={over ? `${over.namespace} ${over.name}` : undefined}
        style={{ "--readable": textSize(zoom) } as CSSProperties}
        aria-busy={shown.picture !== picture}
        onKeyDown={onKeyDown}
      >
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
          onMoveStart={() => setMoving(true)}
          onMoveEnd={() => setMoving(false)}
          onPaneClick={selectAt}
          onPaneMouseMove={(event) => {
            setOver(paintedAt(event));
            setPointed(routes.size > MANY_LINES ? null : lineAt(event));
          }}
          onPaneMouseLeave={() => {
            setOver(null);
            setPointed(null);
          }}
          proOptions={{ hideAttribution: false }}
          aria-label={words.picture}
        >
          <Lines
            lines={shown.picture.lines}
            routes={routes}
            painted={inView.painted ? shown : null}
            lit={lit}
            pointed={near}
          />
          <Because
            line={shown.picture.lines.find((line) => line.id === near)}
            route={near === null ? undefined : routes.get(near)}
            zoom={zoom}
          />
          <Views
            places={shown.places}
            start={shown.picture.cards.find((card) => card.start)?.id}
            onWay={onWay}
            selection={selection}
          />
          <Controls showInteractive={false} showFitView={false}>
            <ShowAll places={shown.places} />
          </Controls>
          <Overview cards={shown.picture.cards} places={shown.places} />
        </ReactFlow>
        {shown.places.size > 0 && <TakeAway drawing={drawing} notes={notes} />}
      </div>
    </Actions>
  );
}

/** The zoom in steps, by which texts have their sizes; while the view moves, that before: cards are moved as a picture. */
function useRestingZoom(moving: boolean): number {
  const resting = useRef(1);
  const zoom = useStore((state) => (moving ? resting.current : steppedZoom(state.transform[2])));
  resting.current = zoom;
  return zoom;
}

/** The button that shows the whole picture: also cards that are no elements. */
function ShowAll({ places }: { places: Places }) {
  const label = useWords().canvas.wholePicture;
  const { setViewport } = useReactFlow();
  const store = useStoreApi();
  return (
    <ControlButton
      className="react-flow__controls-fitview"
      aria-label={label}
      title={label}
      onClick={() => places.size > 0 && setViewport(viewOf(places.values(), store.getState()))}
    >
      <svg viewBox="0 0 32 30" aria-hidden="true">
        <path d="M2 9V2h8M22 2h8v7M30 21v7h-8M10 28H2v-7" fill="none" stroke="currentColor" strokeWidth="4" />
      </svg>
    </ControlButton>
  );
}

/** Whether a card is an element of the page: one in view, and the one that is selected. */
function isElement({ data, position, width = 0, height = 0 }: CardNode, inView: InView): boolean {
  const { card, selection } = data;
  const selected = selection !== null && "card" in selection && selection.card === card.id;
  return selected || inView.has({ ...position, width, height });
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
    const show = async (): Promise<void> => {
      // Until fonts have loaded, names have other widths.
      const [places] = await Promise.all([arrange(picture, settings.workers.layout), document.fonts.ready]);
      if (wanted) {
        setArranged({ picture, places });
        return places.provisional ? show() : undefined;
      }
    };
    void show();
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

interface FitProps {
  readonly places: Places;
  /** The id of the card from which the lineage starts. */
  readonly start: string | undefined;
  /** The ids of cards on the way of the selected path; null where none is selected. */
  readonly onWay: ReadonlySet<string> | null;
  readonly selection: Selection;
}

/**
 * Moves the view where something else is to be seen: another picture, what came to the one before, the ends of a way
 * that is lit, and what fits beside a panel that opened. What the reader moved stays as it is.
 */
function Views({ places, start, onWay, selection }: FitProps) {
  const { getViewport, setViewport } = useReactFlow();
  const store = useStoreApi();
  const narrow = useNarrow();
  const before = useRef<{ places: Places; size: Size }>({ places: new Map(), size: { width: 0, height: 0 } });
  /** The view that the picture was given, until the reader moves it. */
  const given = useRef<Viewport | null>(null);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    const size = { width, height };
    const { places: old, size: oldSize } = before.current;
    const boxes = [...places.values()];
    if (boxes.length === 0 || width === 0) {
      return;
    }
    before.current = { places, size };
    const show = (view: Viewport, smooth = false) => {
      const still = !smooth || matchMedia("(prefers-reduced-motion: reduce)").matches;
      given.current = view;
      setViewport(view, { duration: still ? 0 : 250 });
    };
    const opening = () =>
      openingView(boxes, start === undefined ? undefined : places.get(start), size, narrow);
    const isNew = [...places.keys()].some((id) => !old.has(id));
    const [from, to] = anchored(old, places);
    const known = new Set([...old.keys()].map((id) => places.get(id)));
    if (isNew && !(from && to)) {
      show(opening());
    } else if (isNew && from && to) {
      const { x, y, zoom } = getViewport();
      const kept = { x: x + (from.x - to.x) * zoom, y: y + (from.y - to.y) * zoom, zoom };
      const whole = viewOf(boxes, size, Math.max(zoom, 0.6));
      const fits = places.size <= FEW_CARDS && !(narrow && zoom >= FAR) && whole.zoom >= FAR;
      const inside = openedGroup(old, places) ? boxes.filter((box) => !known.has(box)) : [];
      const view = fits
        ? whole
        : inside.length > 0
          ? openingView(inside, undefined, size, narrow)
          : isAnySeen(places, kept, size)
            ? kept
            : opening();
      show(view, fits || inside.length > 0);
    } else if (old.provisional && !places.provisional) {
      if (given.current && isSame(given.current, getViewport())) {
        show(opening());
      }
    } else if (!narrow && (size.width !== oldSize.width || size.height !== oldSize.height)) {
      if (given.current && isSame(given.current, getViewport())) {
        show(opening());
      }
    }
  }, [places, start, narrow, width, height, getViewport, setViewport]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a panel that opens changes the size
  useEffect(() => {
    if (selection === null) {
      return;
    }
    const frame = requestAnimationFrame(() => {
      const { width, height } = store.getState();
      const boxes = [...(onWay ?? [])].flatMap((id) => places.get(id) ?? []);
      const view = getViewport();
      const way = boxes.length > 0 ? around(boxes) : null;
      if (!narrow && way && !shows(view, way, { width, height })) {
        const all = viewOf(boxes, { width, height }, Math.max(view.zoom, FAR));
        if (all.zoom >= FAR) {
          setViewport(all);
          return;
        }
      }
      keepInView(narrow, view, setViewport);
    });
    return () => cancelAnimationFrame(frame);
  }, [selection, onWay, places, narrow, width, height, store, getViewport, setViewport]);
  return null;
}

/** Whether a group of the picture before was opened. */
function openedGroup(old: Places, places: Places): boolean {
  return [...old.keys()].some((id) => id.startsWith("group ") && !places.has(id));
}

/** Whether some card is in the window at that view. */
function isAnySeen(places: Places, { x, y, zoom }: Viewport, { width, height }: Size): boolean {
  return [...places.values()].some((box) => {
    const [left, top] = [x + box.x * zoom, y + box.y * zoom];
    return left < width && top < height && left + box.width * zoom > 0 && top + box.height * zoom > 0;
  });
}

/** A card that is in both pictures, and where it was and is. */
function anchored(old: Places, places: Places): [Box | undefined, Box | undefined] {
  const anchor = [...old.keys()].find((id) => places.has(id));
  return anchor === undefined ? [undefined, undefined] : [old.get(anchor), places.get(anchor)];
}

function isSame(one: Viewport, other: Viewport): boolean {
  return Math.abs(one.x - other.x) < 1 && Math.abs(one.y - other.y) < 1 && one.zoom === other.zoom;
}

/** Moves the picture so far that the details, which open at the right or below, do not cover what was selected. */
function keepInView(narrow: boolean, { x, y, zoom }: Viewport, setViewport: (view: Viewport) => void): void {
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
    setViewport({ x: x - over, y: y - below, zoom });
  }
}

/** The ids of the cards that a lit way goes through. */
function cardsOn(lit: Lit | null, { lines }: Picture): ReadonlySet<string> | null {
  if (!lit) {
    return null;
  }
  const on = lines.filter(({ id }) => lit.values.has(id) || lit.influences.has(id));
  return new Set(
    on.flatMap(({ source, target, through }) => [source.card, target.card, ...(through ? [through] : [])]),
  );
}
