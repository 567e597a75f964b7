// A picture as PDF: vectors and real text, as long as PDF's own fonts have all its letters.
import { jsPDF } from "jspdf";
import { svg2pdf } from "svg2pdf.js";

/** Points for each pixel. */
const POINTS = 0.75;
/** The letters of PDF's own fonts. */
const KNOWN = /^[\n\u0020-\u007e\u00a0-\u00ff\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac]*$/;

/** The PDF, of one page as large as the picture. */
export async function pdfOf(svg: string, rasterOf: (svg: string) => Promise<Blob>): Promise<Blob> {
  const drawn = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const [width, height] = [Number(drawn.getAttribute("width")), Number(drawn.getAttribute("height"))];
  const size = [width * POINTS, height * POINTS];
  const orientation = width > height ? "landscape" : "portrait";
  const pdf = new jsPDF({ unit: "pt", format: size, orientation, compress: true });
  pdf.setProperties({ title: drawn.querySelector("title")?.textContent ?? "" });
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
    const image = new Uint8Array(await (await rasterOf(svg)).arrayBuffer());
    pdf.addImage(image, "PNG", place.x, place.y, place.width, place.height);
  }
  return pdf.output("blob");
}
