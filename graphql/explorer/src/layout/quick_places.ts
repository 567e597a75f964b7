// Places for the cards of very large pictures, in time linear in their size: layers from left to right, each ordered by
// what its cards are connected with. ELK makes better pictures, and takes minutes for thousands of long connections.
import { type Box, type Point, type Size, sizeOf } from "../picture/measures";
import type { Card, Picture } from "../picture/model";
import { legKey, legsOf, type Places } from "./elk_graph";

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
  const { places, columns } = placed(layers, new Map(picture.cards.map((card) => [card.id, sizeOf(card)])));
  return Object.assign(places, { bends: lanesOf(picture, places, columns) });
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
function placed(
  layers: readonly string[][],
  sizes: ReadonlyMap<string, Size>,
): { places: Map<string, Box>; columns: Lanes[] } {
  const area = [...sizes.values()].reduce(
    (sum, { width, height }) => sum + (width + BETWEEN_LAYERS) * (height + BETWEEN_CARDS),
    0,
  );
  const most = Math.max(900, Math.sqrt(area / SHAPE));
  const places = new Map<string, Box>();
  const all: Lanes[] = [];
  let x = 0;
  for (const [index, layer] of layers.entries()) {
    const columns = columnsOf(layer, sizes, most);
    for (const { ids, height } of columns) {
      let [y, widest] = [-height / 2, 0];
      const lanes = [y - BETWEEN_CARDS / 2];
      for (const id of ids) {
        const size = sizes.get(id) ?? { width: 0, height: 0 };
        places.set(id, { x, y, ...size });
        y += size.height + BETWEEN_CARDS;
        lanes.push(y - BETWEEN_CARDS / 2);
        widest = Math.max(widest, size.width);
      }
      all.push({ layer: index, left: x, right: x + widest, lanes });
      x += widest + BETWEEN_COLUMNS;
    }
    x += BETWEEN_LAYERS - BETWEEN_COLUMNS;
  }
  return { places, columns: all };
}

/** A column of a layer, and the heights at which ways pass between its cards. */
interface Lanes {
  readonly layer: number;
  readonly left: number;
  readonly right: number;
  readonly lanes: readonly number[];
}

/** Of pictures with more ways than this, only columns beside their ends are passed by lanes. */
const MANY_WAYS = 2000;
/** How far beside a column ways enter and leave its lanes. */
const BESIDE = 12;

/** The points by which ways pass the columns between their ends, so that none seems to end at a card beside it. */
function lanesOf(
  picture: Picture,
  places: ReadonlyMap<string, Box>,
  columns: readonly Lanes[],
): ReadonlyMap<string, readonly Point[]> {
  const legs = new Map(picture.lines.flatMap(legsOf).map((leg) => [legKey(leg), leg]));
  const columnAt = new Map(columns.map((column, index) => [column.left, index]));
  const bends = new Map<string, readonly Point[]>();
  for (const [key, [source, target]] of legs) {
    const [from, to] = [places.get(source), places.get(target)];
    const [first, last] = [columnAt.get(from?.x ?? Number.NaN), columnAt.get(to?.x ?? Number.NaN)];
    if (!from || !to || first === undefined || last === undefined || last - first < 2) {
      continue;
    }
    const [near, far] = [columns[first]?.layer, columns[last]?.layer];
    const passed = columns
      .slice(first + 1, last)
      .filter(({ layer }) => legs.size <= MANY_WAYS || layer === near || layer === far);
    bends.set(key, passed.flatMap(passing(from, to)));
  }
  return bends;
}

/** The function that returns where the way between two boxes passes a column: by the lane that is nearest to it. */
function passing(from: Box, to: Box): (column: Lanes) => Point[] {
  const [start, end] = [from.y + from.height / 2, to.y + to.height / 2];
  return ({ left, right, lanes }) => {
    const share = (left - from.x) / (to.x - from.x);
    const y = nearest(lanes, start + (end - start) * share);
    return [
      { x: left - BESIDE, y },
      { x: right + BESIDE, y },
    ];
  };
}

/** Of ascending numbers, the one that is nearest to another. */
function nearest(ascending: readonly number[], wanted: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= wanted) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const [below, above] = [ascending[low] as number, ascending[high] as number];
  return wanted - below < above - wanted ? below : above;
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
