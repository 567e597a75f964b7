// The pictures of the command line: the same as the page's, from a script that needs no browser.
import ELK from "elkjs/lib/elk.bundled.js";

import { dotOf } from "../drawing/dot";
import { momentOf, titlesOf } from "../drawing/frame";
import { mermaidOf } from "../drawing/mermaid";
import type { Question } from "../drawing/model";
import { DARK, LIGHT } from "../drawing/palette";
import { svgOf } from "../drawing/svg";
import { elkGraph, placesOf } from "../layout/elk_graph";
import { join, type Lineage, lineageOf, NOTHING } from "../lineage/graph";
import { type DatasetRef, datasetKey } from "../lineage/names";
import { completenessOf, completenessText } from "../picture/completeness";
import { folded, usualGrouping } from "../picture/groups";
import { lineagePicture, type SchemaPath } from "../picture/lineage_picture";
import type { Picture } from "../picture/model";
import type { Answer } from "../server/client";
import { DRAWING_WORDS } from "../words/en/drawing";
import { en } from "../words/en/page";

type Graph = Answer<"Both">["lineage"]["backward"];

interface Request {
  readonly question: Question;
  readonly backward: Graph | null;
  readonly forward: Graph | null;
  /** The known paths of datasets, with their types. */
  readonly schemas: readonly (DatasetRef & { readonly paths: readonly SchemaPath[] })[];
  readonly format: "svg" | "mmd" | "dot";
  readonly dark: boolean;
  readonly address: string | null;
}

/** The text of the picture that a request in JSON asks for. */
async function draw(json: string): Promise<string> {
  const request: Request = JSON.parse(json);
  const { question, format } = request;
  const lineage = lineageOfAnswers(request);
  const picture = pictureOf(lineage, request);
  const notes = [
    completenessText(completenessOf(lineage), en.completeness),
    ...(lineage.cut ? [en.cut] : []),
  ];
  if (format !== "svg") {
    return format === "mmd" ? mermaidOf(picture, null, notes) : dotOf(picture, null, notes);
  }
  const places = placesOf(await new ELK().layout(elkGraph(picture)));
  return svgOf(
    { picture, places, lit: null },
    {
      ...titlesOf(question, DRAWING_WORDS),
      notes,
      moment: momentOf(question.asOf),
      address: request.address,
      palette: request.dark ? DARK : LIGHT,
      words: DRAWING_WORDS,
    },
  );
}

/** The picture as the page has it before anything is opened or folded by hand. */
function pictureOf(lineage: Lineage, { question: { level, way, node }, schemas }: Request): Picture {
  const none: ReadonlySet<string> = new Set();
  const plain = lineagePicture(lineage, {
    level,
    way,
    start: node && datasetKey(node),
    toggled: none,
    schemas: new Map(schemas.map((each) => [datasetKey(each), each.paths])),
    whole: none,
    rows: new Map(),
    expanded: none,
  });
  return folded(plain, { by: usualGrouping(plain), open: none, owners: new Map() });
}

function lineageOfAnswers({ backward, forward }: Request): Lineage {
  const back = backward ? lineageOf(backward, -1) : NOTHING;
  return forward ? join(back, lineageOf(forward, 1)) : back;
}

Object.assign(globalThis, { drawPicture: draw });
