// Keeps a canvas in step with the view: what is drawn quickly is drawn anew in each frame; what takes longer is moved as a
// picture, and drawn anew when the view rests, or has left what was drawn.

export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

/** Draws what the view shows, with that many pixels around it; returns the number of strokes and boxes. */
export type Draw = (context: CanvasRenderingContext2D, view: View, margin: number) => number;

/** The longest time in milliseconds that drawing may take within a frame. */
const QUICK = 5;
/** The most strokes and boxes in it: browsers record them, and need their time afterwards. */
const FEW = 400;
const REST = 120;
/** Drawing anew while the view moves may take this share of the time. */
const SHARE = 0.2;
const MARGIN = 240;

export class Painter {
  readonly #canvas: HTMLCanvasElement;
  readonly #draw: Draw;
  #drawn: View | null = null;
  #wanted: View | null = null;
  #quick = true;
  #cost = 0;
  #painted = 0;
  #margin = 0;
  #frame = 0;
  #rest = 0;

  constructor(canvas: HTMLCanvasElement, draw: Draw) {
    this.#canvas = canvas;
    this.#draw = draw;
  }

  /** Shows this view with the next frame. */
  show(view: View): void {
    this.#wanted = view;
    if (this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => this.#next());
    }
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#rest);
  }

  #next(): void {
    this.#frame = 0;
    clearTimeout(this.#rest);
    const [drawn, view] = [this.#drawn, this.#wanted as View];
    const sameSize = drawn?.width === view.width && drawn.height === view.height;
    if (!drawn || !sameSize || this.#quick || this.#isLate(drawn, view)) {
      this.#paint();
      return;
    }
    const scale = view.zoom / drawn.zoom;
    const [x, y] = [view.x - scale * drawn.x, view.y - scale * drawn.y];
    this.#canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    this.#rest = window.setTimeout(() => this.#paint(), REST);
  }

  /** Whether the view shows what was not drawn, and it is time to draw that. */
  #isLate(drawn: View, view: View): boolean {
    const pause = Math.max(REST, this.#cost / SHARE);
    return !covers(drawn, this.#margin, view) && performance.now() - this.#painted > pause;
  }

  #paint(): void {
    const view = this.#wanted as View;
    const context = this.#canvas.getContext("2d");
    if (!context) {
      return;
    }
    const margin = this.#quick ? 0 : MARGIN;
    const { style } = this.#canvas;
    const [width, height] = [view.width + 2 * margin, view.height + 2 * margin];
    Object.assign(style, {
      width: `${width}px`,
      height: `${height}px`,
      left: `${-margin}px`,
      top: `${-margin}px`,
      transformOrigin: `${margin}px ${margin}px`,
      transform: "none",
    });
    const ratio = devicePixelRatio;
    this.#canvas.width = Math.ceil(width * ratio);
    this.#canvas.height = Math.ceil(height * ratio);
    const { x, y, zoom } = view;
    context.setTransform(zoom * ratio, 0, 0, zoom * ratio, (x + margin) * ratio, (y + margin) * ratio);
    const began = performance.now();
    const drawn = this.#draw(context, view, margin);
    this.#painted = performance.now();
    this.#cost = this.#painted - began;
    this.#quick = this.#cost < QUICK && drawn <= FEW;
    this.#margin = margin;
    this.#drawn = view;
  }
}

/** Whether what was drawn of one view, with a margin around it, has all that another shows. */
export function covers(drawn: View, margin: number, view: View): boolean {
  const [left, top] = [(-drawn.x - margin) / drawn.zoom, (-drawn.y - margin) / drawn.zoom];
  const right = left + (drawn.width + 2 * margin) / drawn.zoom;
  const bottom = top + (drawn.height + 2 * margin) / drawn.zoom;
  const [x, y] = [-view.x / view.zoom, -view.y / view.zoom];
  return (
    x >= left && y >= top && x + view.width / view.zoom <= right && y + view.height / view.zoom <= bottom
  );
}
