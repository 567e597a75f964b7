// The files that a picture is taken away as.
import { dotOf } from "../drawing/dot";
import { mermaidOf } from "../drawing/mermaid";
import type { Drawing, Frame } from "../drawing/model";
import { svgOf } from "../drawing/svg";

export const FORMATS = ["svg", "png", "pdf", "mmd", "dot"] as const;
export type Format = (typeof FORMATS)[number];

const SHARPNESS = 2;
/** What browsers let a canvas have: a side, and an area. */
const [MOST_SIDE, MOST_AREA] = [16_384, 120_000_000];

/** The picture as the content of a file; what only PDF needs is loaded for it. */
export async function fileOf(format: Format, drawing: Drawing, frame: Frame): Promise<Blob> {
  switch (format) {
    case "mmd":
      return new Blob([mermaidOf(drawing.picture, drawing.lit, frame.notes)], {
        type: "text/plain;charset=utf-8",
      });
    case "dot":
      return new Blob([dotOf(drawing.picture, drawing.lit, frame.notes)], {
        type: "text/vnd.graphviz;charset=utf-8",
      });
    case "svg":
      return svgBlob(svgOf(drawing, frame));
    case "png":
      return rasterOf(svgOf(drawing, frame));
    case "pdf": {
      const { pdfOf } = await import("./pdf");
      return pdfOf(svgOf(drawing, frame), rasterOf);
    }
  }
}

/** Drawings as the pages of one PDF. */
export async function pagesAsPdf(svgs: readonly string[]): Promise<Blob> {
  const { pdfOfPages } = await import("./pdf");
  return pdfOfPages(svgs, rasterOf);
}

/** Let the browser save the content under the name. */
export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The picture as PNG, twice as large as the SVG's pixels unless that is more than a canvas can have. */
async function rasterOf(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(svgBlob(svg));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const { width, height } = image;
    const scale = Math.min(
      SHARPNESS,
      MOST_SIDE / Math.max(width, height),
      Math.sqrt(MOST_AREA / (width * height)),
    );
    const canvas = document.createElement("canvas");
    canvas.width = Math.floor(width * scale);
    canvas.height = Math.floor(height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("PNG"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

function svgBlob(svg: string): Blob {
  return new Blob([svg], { type: "image/svg+xml;charset=utf-8" });
}
