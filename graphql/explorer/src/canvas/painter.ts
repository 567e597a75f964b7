// Keeps a canvas in step with the view: what is drawn quickly is drawn anew in each frame; what takes longer is moved as a
// picture, and drawn anew when the view rests.

export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

/** Draws what the view shows, with that many pixels around it. */
export type Draw = (context: CanvasRenderingContext2D, view: View, margin: number) => void;

/** The longest time in milliseconds that drawing may take within a frame. */
const QUICK = 5;
const REST = 120;
const MARGIN = 240;

export class Painter {
  readonly #canvas: HTMLCanvasElement;
  readonly #draw: Draw;
  #drawn: View | null = null;
  #wanted: View | null = null;
  #cost = 0;
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
    if (!drawn || !sameSize || this.#cost < QUICK) {
      this.#paint();
      return;
    }
    const scale = view.zoom / drawn.zoom;
    const [x, y] = [view.x - scale * drawn.x, view.y - scale * drawn.y];
    this.#canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    this.#rest = window.setTimeout(() => this.#paint(), REST);
  }

  #paint(): void {
    const view = this.#wanted as View;
    const context = this.#canvas.getContext("2d");
    if (!context) {
      return;
    }
    const margin = this.#cost < QUICK ? 0 : MARGIN;
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
    this.#draw(context, view, margin);
    this.#cost = performance.now() - began;
    this.#drawn = view;
  }
}
