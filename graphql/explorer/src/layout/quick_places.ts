// Places for the cards of very large pictures, in time linear in their size: layers from left to right, each ordered by
// what its cards are connected with. ELK makes better pictures, and takes minutes for thousands of long connections.
import { type Box, type Size, sizeOf } from "../picture/measures";
import type { Card, Picture } from "../picture/model";
import { legsOf, type Places } from "./elk_graph";

const BETWEEN_LAYERS = 96;
const BETWEEN_COLUMNS = 40;
const BETWEEN_CARDS = 22;
/** How much wider than high a picture should be. */
const SHAPE = 1.8;
const SWEEPS = 4;

interface Links {
  readonly before: ReadonlyMap<string, readonly string[]>;
  readonly after: ReadonlyMap<string, readonly string[]>;
}

export function quickPlaces(picture: Picture): Places {
  const links = linksOf(picture);
  const layers = ordered(layersOf(picture.cards, links), links);
  return placed(layers, new Map(picture.cards.map((card) => [card.id, sizeOf(card)])));
}

function linksOf({ cards, lines }: Picture): Links {
  const [before, after] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const { id } of cards) {
    before.set(id, []);
    after.set(id, []);
  }
  for (const [source, target] of lines.flatMap(legsOf)) {
    if (source !== target) {
      after.get(source)?.push(target);
      before.get(target)?.push(source);
    }
  }
  return { before, after };
}

/** The cards by layers: each is to the right of all that lead to it, but for connections that close a cycle. */
function layersOf(cards: readonly Card[], { before, after }: Links): string[][] {
  const open = new Map(cards.map(({ id }) => [id, before.get(id)?.length ?? 0]));
  const layerOf = new Map<string, number>();
  const ready = [...open.keys()].filter((id) => open.get(id) === 0);
  const rest = [...open.keys()].sort((one, other) => (open.get(one) ?? 0) - (open.get(other) ?? 0));
  const inOrder: string[] = [];
  while (inOrder.length < cards.length) {
    const id = ready.pop() ?? rest.find((each) => !layerOf.has(each));
    if (id === undefined) {
      break;
    }
    if (layerOf.has(id)) {
      continue;
    }
    const known = (before.get(id) ?? []).flatMap((each) => layerOf.get(each) ?? []);
    layerOf.set(
      id,
      known.reduce((most, each) => Math.max(most, each + 1), 0),
    );
    inOrder.push(id);
    for (const next of after.get(id) ?? []) {
      open.set(next, (open.get(next) ?? 0) - 1);
      if (open.get(next) === 0) {
        ready.push(next);
      }
    }
  }
  for (const id of inOrder.reverse()) {
    const targets = (after.get(id) ?? []).flatMap((each) => layerOf.get(each) ?? []);
    const [nearest, own] = [Math.min(...targets), layerOf.get(id) ?? 0];
    if ((before.get(id) ?? []).length === 0 && Number.isFinite(nearest) && nearest - 1 > own) {
      layerOf.set(id, nearest - 1);
    }
  }
  const layers: string[][] = [];
  for (const { id } of cards) {
    const layer = layerOf.get(id) ?? 0;
    layers[layer] = [...(layers[layer] ?? []), id];
  }
  return [...layers].map((each) => each ?? []).filter((each) => each.length > 0);
}

/** The layers, each in the order of the middles of what its cards are connected with. */
function ordered(layers: readonly string[][], { before, after }: Links): string[][] {
  const heights = new Map<string, number>();
  const note = (layer: readonly string[]) => {
    layer.forEach((id, index) => {
      heights.set(id, (index + 0.5) / layer.length);
    });
  };
  layers.forEach(note);
  const sorted = layers.map((layer) => [...layer]);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forth = sweep % 2 === 0;
    const links = forth ? before : after;
    for (const layer of forth ? sorted : [...sorted].reverse()) {
      const wanted = new Map(
        layer.map((id) => [id, middle(links.get(id) ?? [], heights) ?? heights.get(id) ?? 0]),
      );
      layer.sort((one, other) => (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0));
      note(layer);
    }
  }
  return sorted;
}

function middle(ids: readonly string[], heights: ReadonlyMap<string, number>): number | null {
  const known = ids.flatMap((id) => heights.get(id) ?? []);
  return known.length > 0 ? known.reduce((sum, each) => sum + each, 0) / known.length : null;
}

/** The places of layers; a high layer stands in several columns. */
function placed(layers: readonly string[][], sizes: ReadonlyMap<string, Size>): Places {
  const area = [...sizes.values()].reduce(
    (sum, { width, height }) => sum + (width + BETWEEN_LAYERS) * (height + BETWEEN_CARDS),
    0,
  );
  const most = Math.max(900, Math.sqrt(area / SHAPE));
  const places = new Map<string, Box>();
  let x = 0;
  for (const layer of layers) {
    const columns = columnsOf(layer, sizes, most);
    for (const { ids, height } of columns) {
      let [y, widest] = [-height / 2, 0];
      for (const id of ids) {
        const size = sizes.get(id) ?? { width: 0, height: 0 };
        places.set(id, { x, y, ...size });
        y += size.height + BETWEEN_CARDS;
        widest = Math.max(widest, size.width);
      }
      x += widest + BETWEEN_COLUMNS;
    }
    x += BETWEEN_LAYERS - BETWEEN_COLUMNS;
  }
  return places;
}

interface Column {
  ids: string[];
  height: number;
}

function columnsOf(layer: readonly string[], sizes: ReadonlyMap<string, Size>, most: number): Column[] {
  const columns: Column[] = [];
  for (const id of layer) {
    const height = (sizes.get(id)?.height ?? 0) + BETWEEN_CARDS;
    const last = columns.at(-1);
    if (last && last.height + height <= most) {
      last.ids.push(id);
      last.height += height;
    } else {
      columns.push({ ids: [id], height });
    }
  }
  return columns;
}
