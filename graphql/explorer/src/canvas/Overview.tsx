// The whole picture in a corner, with what is in view: drawn once, whatever number of cards it has, and not at each move.
import { Panel, useReactFlow, useStoreApi } from "@xyflow/react";
import { type PointerEvent, useEffect, useMemo, useRef, type WheelEvent } from "react";
import type { Places } from "../layout/elk_graph";
import type { Point } from "../picture/measures";
import type { Card } from "../picture/model";
import { useShade } from "../state/preferences";
import { useWords } from "../words/words";
import { around } from "./views";

const WIDTH = 200;
const HEIGHT = 150;
const EDGE = 8;
/** Cards are drawn no smaller than this, in pixels. */
const LEAST = 1.5;

interface Props {
  readonly cards: readonly Card[];
  readonly places: Places;
}

export function Overview({ cards, places }: Props) {
  const words = useWords();
  const store = useStoreApi();
  const { getZoom, setCenter, zoomTo } = useReactFlow();
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const shade = useShade();
  const scale = useMemo(() => scaleOf(places), [places]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the theme
  useEffect(() => {
    if (canvas.current) {
      draw(canvas.current, cards, places, scale);
    }
  }, [cards, places, scale, shade]);
  useEffect(() => {
    const show = () => {
      const { transform, width, height } = store.getState();
      const [x, y, zoom] = transform;
      const corner = { x: scale.x + (-x / zoom) * scale.factor, y: scale.y + (-y / zoom) * scale.factor };
      Object.assign(view.current?.style ?? {}, {
        transform: `translate(${corner.x}px, ${corner.y}px)`,
        width: `${(width / zoom) * scale.factor}px`,
        height: `${(height / zoom) * scale.factor}px`,
      });
    };
    show();
    return store.subscribe(show);
  }, [scale, store]);
  const go = (event: PointerEvent<HTMLDivElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const at = { x: event.clientX - left, y: event.clientY - top };
    setCenter((at.x - scale.x) / scale.factor, (at.y - scale.y) / scale.factor, { zoom: getZoom() });
  };
  const zoom = (event: WheelEvent) => zoomTo(getZoom() * 2 ** (-event.deltaY / 500));
  return (
    <Panel position="bottom-right" className="overview-panel">
      <div
        className="overview nowheel nopan"
        role="img"
        aria-label={words.miniMap}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          go(event);
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && go(event)}
        onWheel={zoom}
      >
        <canvas ref={canvas} style={{ width: WIDTH, height: HEIGHT }} />
        <div ref={view} className="overview-view" />
      </div>
    </Panel>
  );
}

interface Scale extends Point {
  readonly factor: number;
}

/** How the picture is brought into the corner: a point is multiplied, then moved. */
function scaleOf(places: Places): Scale {
  if (places.size === 0) {
    return { x: 0, y: 0, factor: 1 };
  }
  const { x, y, width, height } = around(places.values());
  const factor = Math.min((WIDTH - 2 * EDGE) / width, (HEIGHT - 2 * EDGE) / height);
  return {
    x: (WIDTH - width * factor) / 2 - x * factor,
    y: (HEIGHT - height * factor) / 2 - y * factor,
    factor,
  };
}

function draw(canvas: HTMLCanvasElement, cards: readonly Card[], places: Places, scale: Scale): void {
  const context = canvas.getContext("2d");
  if (!context) {
    return;
  }
  const style = getComputedStyle(canvas);
  canvas.width = WIDTH * devicePixelRatio;
  canvas.height = HEIGHT * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  for (const card of cards) {
    const box = places.get(card.id);
    if (box) {
      const colour = card.start ? "--accent" : card.kind === "job" ? "--job-text" : "--line-value";
      context.globalAlpha = card.kind === "job" && !card.start ? 0.5 : 1;
      context.fillStyle = style.getPropertyValue(colour);
      const [width, height] = [box.width * scale.factor, box.height * scale.factor];
      const [x, y] = [box.x * scale.factor + scale.x, box.y * scale.factor + scale.y];
      context.fillRect(x, y, Math.max(LEAST, width), Math.max(LEAST, height));
    }
  }
}
