// A picture as PDF: vectors and real text, as long as PDF's own fonts have all its letters.
import { jsPDF } from "jspdf";
import { svg2pdf } from "svg2pdf.js";

/** Points for each pixel. */
const POINTS = 0.75;
/** The letters of PDF's own fonts. */
const KNOWN = /^[\n\u0020-\u007e\u00a0-\u00ff\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac]*$/;

type RasterOf = (svg: string) => Promise<Blob>;

/** The PDF, of one page as large as the picture. */
export function pdfOf(svg: string, rasterOf: RasterOf): Promise<Blob> {
  return pdfOfPages([svg], rasterOf);
}

/** The PDF with a page for each drawing, as large as it is. */
export async function pdfOfPages(svgs: readonly string[], rasterOf: RasterOf): Promise<Blob> {
  const pages = svgs.map((svg) => new DOMParser().parseFromString(svg, "image/svg+xml").documentElement);
  const [first] = pages as [HTMLElement];
  const pdf = new jsPDF({ unit: "pt", ...formatOf(first), compress: true });
  pdf.setProperties({ title: first.querySelector("title")?.textContent ?? "" });
  for (const [at, drawn] of pages.entries()) {
    if (at > 0) {
      const { format, orientation } = formatOf(drawn);
      pdf.addPage(format, orientation);
    }
    await draw(pdf, drawn, () => rasterOf(svgs[at] as string));
  }
  return pdf.output("blob");
}

function sizeOf(drawn: Element): [width: number, height: number] {
  return [Number(drawn.getAttribute("width")), Number(drawn.getAttribute("height"))];
}

function formatOf(drawn: Element) {
  const [width, height] = sizeOf(drawn);
  const orientation = width > height ? ("landscape" as const) : ("portrait" as const);
  return { format: [width * POINTS, height * POINTS], orientation };
}

async function draw(pdf: jsPDF, drawn: HTMLElement, raster: () => Promise<Blob>): Promise<void> {
  const [width, height] = sizeOf(drawn);
  const place = { x: 0, y: 0, width: width * POINTS, height: height * POINTS };
  if (KNOWN.test(drawn.textContent ?? "")) {
    for (const text of drawn.querySelectorAll("[font-family]")) {
      text.setAttribute("font-family", text === drawn ? "helvetica" : "courier");
    }
    for (const text of drawn.querySelectorAll("[font-weight]")) {
      text.setAttribute("font-weight", "bold");
    }
    for (const title of drawn.querySelectorAll("title")) {
      title.remove();
    }
    await svg2pdf(drawn, pdf, place);
  } else {
    const image = new Uint8Array(await (await raster()).arrayBuffer());
    pdf.addImage(image, "PNG", place.x, place.y, place.width, place.height);
  }
}
