// The view of the picture: the lineage of a dataset or path, or the data flow of the whole store, with its details.
import { useCallback, useMemo } from "react";
import { type Asked, useLineage } from "../answers/useLineage";
import { Canvas } from "../canvas/Canvas";
import type { CardActions } from "../canvas/cards";
import { PictureLegend } from "../colouring/PictureLegend";
import { usePictureForms } from "../colouring/usePictureForms";
import { expansionKey } from "../lineage/expansions";
import { type Lineage, NOTHING } from "../lineage/graph";
import { datasetKey } from "../lineage/names";
import type { Selection } from "../lineage/selection";
import { type Address, isActive, useAddress } from "../page/address";
import { Details } from "../panels/Details";
import { Differences } from "../panels/Differences";
import { Legend } from "../panels/Legend";
import { Strip } from "../panels/Strip";
import {
  type Completeness,
  completenessOf,
  completenessOfStore,
  completenessText,
} from "../picture/completeness";
import { folded, usualGrouping } from "../picture/groups";
import { lineagePicture } from "../picture/lineage_picture";
import { marked } from "../picture/marks";
import { EMPTY, type Line, type Picture } from "../picture/model";
import { writeOpen } from "../picture/overview_picture";
import { FEW_ROWS } from "../picture/rows";
import { wayOf } from "../picture/way";
import { RunStates } from "../runs/JobState";
import { useRunStates } from "../runs/useRunStates";
import { TimeBar } from "../time/TimeBar";
import { useDifference } from "../time/useDifference";
import { useWords, type Words } from "../words/words";
import { ActiveForm } from "./ActiveForm";
import { leftOut, Notices } from "./Notices";
import { Toolbar } from "./Toolbar";
import { type Home, useHome } from "./useHome";
import { useSchemas } from "./useSchemas";

/** What the reader folded, opened and asked for within cards. */
interface Shown {
  readonly toggled: ReadonlySet<string>;
  readonly whole: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, number>;
}

const MORE_ROWS = 100;

export function PictureView() {
  const words = useWords();
  const [address, go] = useAddress();
  const selection = useSelection(address);
  const shown = useShown(address);
  const home = useHome(address);
  const asked = useLineage(address);
  const compared = useDifference(address, asked.lineage);
  const lineage = compared.difference?.both ?? asked.lineage;
  const withRows = address.dataset !== null && (address.level === "PATH" || address.level === "COLUMN");
  const schemas = useSchemas(withRows ? lineage : NOTHING, shown.whole);
  const state = JSON.stringify({ ...address, selected: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `state` is all that is in the address
  const plain = useMemo(
    () => (address.dataset ? pictureOf(address, lineage, { ...shown, schemas }) : home.picture),
    [state, lineage, shown, schemas, home.picture],
  );
  const byServer = home.overview !== null;
  const grouping = address.group !== "auto" ? address.group : byServer ? "namespace" : usualGrouping(plain);
  const open = address.open.join("\u0001");
  const grouped = useMemo(() => {
    const wish = { by: grouping, open: new Set(open.split("\u0001")), owners: ownersOf(home.flow) };
    const drawn = byServer ? plain : folded(plain, wish);
    return compared.difference ? marked(drawn, compared.difference) : drawn;
  }, [plain, grouping, byServer, open, home.flow, compared.difference]);
  const forms = usePictureForms(grouped, address, byServer ? home.opened : null);
  const { picture } = forms;
  const states = useRunStates(picture.cards, address.asOf);
  const lit = useMemo(() => litBy(selection, lineage, picture), [selection, lineage, picture]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `state` is all that is in the address
  const actions = useMemo(() => actionsOf(address, home.opened, go), [state, home.opened, go]);
  const known = address.dataset ? knownOf(asked, lineage) : knownOfStore(home);
  const notes = [
    ...(address.dataset && isActive(address) ? [words.active.note(address.where)] : []),
    known ? completenessText(known, words.completeness) : words.completeness.unsettled,
    ...(address.dataset ? (lineage.cut ? [words.cut] : []) : leftOutOfStore(words, home)),
  ];
  const close = useCallback(() => go({ selected: null }, "same"), [go]);
  return (
    <div className="picture-view">
      <h1 className="unseen">{words.picture}</h1>
      <div className="above">
        <Toolbar grouping={grouping} />
        <ActiveForm lineage={asked.lineage} />
      </div>
      <div className="stage">
        <RunStates value={states}>
          <Canvas picture={picture} selection={selection} lit={lit} notes={notes} actions={actions} />
        </RunStates>
        <Legend />
        {known && <Strip known={known} picture={picture} onSelect={actions.select} />}
        <Notices
          asked={{ ...asked, error: asked.error ?? compared.error }}
          home={home}
          picture={picture}
          grouping={grouping}
        />
      </div>
      <Details
        lineage={lineage}
        picture={picture}
        selection={selection}
        actions={actions}
        asOf={address.asOf}
        onClose={close}
      />
      {compared.difference && selection === null && (
        <Differences difference={compared.difference} onSelect={actions.select} />
      )}
      <div className="lower-bar">
        <TimeBar />
        <PictureLegend forms={forms} />
      </div>
    </div>
  );
}

type WithSchemas = Shown & { readonly schemas: ReturnType<typeof useSchemas> };

function pictureOf(address: Address, lineage: Lineage, shown: WithSchemas): Picture {
  if (!address.dataset) {
    return EMPTY;
  }
  const { level, way } = address;
  const expanded = new Set(address.expanded.map(expansionKey));
  return lineagePicture(lineage, { ...shown, level, way, expanded, start: datasetKey(address.dataset) });
}

/** How much of the lineage is known; null where parts of it are on their way. */
function knownOf({ growing, error }: Asked, lineage: Lineage): Completeness | null {
  return growing || error || lineage.nodes.size === 0 ? null : completenessOf(lineage);
}

/** The same of the whole store; null also where it is empty. */
function knownOfStore({ asked, flow, overview, picture }: Home): Completeness | null {
  const answer = overview ?? flow;
  const settled = answer && !asked.isPlaceholderData && !asked.error && picture.cards.length > 0;
  return settled ? completenessOfStore(answer) : null;
}

function leftOutOfStore(words: Words, { flow, overview }: Home): string[] {
  if (overview) {
    return leftOut(words, overview);
  }
  const [shown, all] = [flow?.datasets.length ?? 0, flow?.datasetCount ?? 0];
  return shown < all ? [words.limited(shown, all)] : [];
}

function ownersOf(flow: Home["flow"]): ReadonlyMap<string, readonly string[]> {
  const datasets = flow?.datasets ?? [];
  return new Map(datasets.map((each) => [datasetKey(each), each.owners.map((owner) => owner.name)]));
}

/** What is selected; the same object as long as it is the same. */
function useSelection({ selected, holder }: Address): Selection {
  const found = selected === undefined ? holder && ({ kind: "path", node: holder } as const) : selected;
  const text = JSON.stringify(found);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` is all of it
  return useMemo(() => found, [text]);
}

/** What is folded and opened; the same object as long as it is the same. */
function useShown({ toggled, whole, rowsOf }: Address): Shown {
  const text = JSON.stringify([toggled, whole, rowsOf]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` is all of it
  return useMemo(() => ({ toggled: new Set(toggled), whole: new Set(whole), rows: new Map(rowsOf) }), [text]);
}

function actionsOf(
  address: Address,
  opened: Home["opened"],
  go: (change: Partial<Address>, entry?: "same") => void,
): CardActions {
  return {
    select: (selected) => go({ selected }, "same"),
    toggle: (row) => go({ toggled: [...toggled(new Set(address.toggled), row.id)] }, "same"),
    showWhole: (card) => go({ whole: [...toggled(new Set(address.whole), card)] }, "same"),
    showMore: (card) => {
      const rows = new Map(address.rowsOf);
      go({ rowsOf: [...rows.set(card, (rows.get(card) ?? FEW_ROWS) + MORE_ROWS)] }, "same");
    },
    expand: (card, way, depth) => {
      const { namespace, name, goesOnAt } = card;
      const datasets = goesOnAt?.[way] ?? [{ namespace, name }];
      const keys = new Set(datasets.map((each) => expansionKey({ ...each, way })));
      const others = address.expanded.filter((each) => !keys.has(expansionKey(each)));
      const isOpen = (way === "BACKWARD" ? card.before : card.after) === "expanded";
      go({ expanded: [...others, ...(isOpen ? [] : datasets.map((each) => ({ ...each, way, depth })))] });
    },
    openGroup: (name) => {
      const open = address.open.length > 0 || address.dataset ? address.open : opened.map(writeOpen);
      go({ open: [...toggled(new Set(open), name)] });
    },
  };
}

function toggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const changed = new Set(set);
  return changed.delete(item) ? changed : changed.add(item);
}

/** What is on the way of the selected path or line; null where neither is selected. */
function litBy(selection: Selection, lineage: Lineage, picture: Picture) {
  if (selection?.kind === "line") {
    const line = picture.lines.find((each) => each.id === selection.line);
    const ends = new Set(line?.edges.flatMap((edge) => [edge.source, edge.target]));
    const [values, influences] = line?.value === false ? [[], [line.id]] : [line ? [line.id] : [], []];
    return { nodes: ends, valueNodes: ends, values: new Set(values), influences: new Set(influences) };
  }
  if (selection?.kind !== "path") {
    return null;
  }
  const { nodes, valueNodes, ...way } = wayOf(lineage, selection.node);
  const on = (keys: ReadonlySet<string>) => (line: Line) => line.edges.some((edge) => keys.has(edge.key));
  const values = new Set(picture.lines.filter(on(way.values)).map((line) => line.id));
  const influences = picture.lines.filter(on(way.influences)).map((line) => line.id);
  return { nodes, valueNodes, values, influences: new Set(influences.filter((id) => !values.has(id))) };
}
