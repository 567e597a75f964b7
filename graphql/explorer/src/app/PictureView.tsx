// The view of the picture: the lineage of a dataset or path, or the data flow of the whole store, with its details.
import { useCallback, useMemo, useState } from "react";

import { Canvas } from "../canvas/Canvas";
import { join, type Lineage, lineageOf, NOTHING } from "../lineage/graph";
import { datasetKey } from "../lineage/names";
import { Details } from "../panels/Details";
import { flowPicture } from "../picture/flow_picture";
import { lineagePicture } from "../picture/lineage_picture";
import { EMPTY, type Line, type Picture, type Row, type Selection } from "../picture/model";
import { wayOf } from "../picture/way";
import type { Answer, ServerError, Variables } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { type Address, useAddress } from "./address";
import { Toolbar } from "./Toolbar";

export function PictureView() {
  const words = useWords();
  const [address] = useAddress();
  const [selection, setSelection] = useState<Selection>(null);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const flow = useAnswer("DataFlow", address.dataset ? null : {});
  const answer = useAnswer("Both", lineageVariables(address));
  const lineage = useMemo(() => lineageOfAnswer(answer.data, address), [answer.data, address]);
  const picture = useMemo(
    () => pictureOf(address, lineage, toggled, flow.data),
    [address, lineage, toggled, flow.data],
  );
  const lit = useMemo(() => litBy(selection, lineage, picture), [selection, lineage, picture]);
  const toggle = useCallback((row: Row) => {
    setToggled(
      (before) => new Set([...before].filter((id) => id !== row.id).concat(before.has(row.id) ? [] : row.id)),
    );
  }, []);
  const error = (address.dataset ? answer.error : flow.error) as ServerError | null;
  const loading = address.dataset ? answer.isLoading : flow.isLoading;
  return (
    <div className="picture-view">
      <Toolbar />
      <div className="stage">
        <Canvas picture={picture} selection={selection} lit={lit} onSelect={setSelection} onToggle={toggle} />
        {loading && <output className="notice">{words.loading}</output>}
        {error && (
          <div className="notice error" role="alert">
            <h2>{words.errorTitle}</h2>
            <p>{error.message}</p>
            {error.hint && <p>{error.hint}</p>}
          </div>
        )}
        {!loading && !error && picture.cards.length === 0 && <p className="notice">{words.nothing}</p>}
        {flow.data && flow.data.dataFlow.datasets.length < flow.data.dataFlow.datasetCount && (
          <output className="notice low">
            {words.limited(flow.data.dataFlow.datasets.length, flow.data.dataFlow.datasetCount)}
          </output>
        )}
      </div>
      <Details lineage={lineage} picture={picture} selection={selection} onSelect={setSelection} />
    </div>
  );
}

function lineageVariables(address: Address): Variables<"Both"> | null {
  if (!address.dataset) {
    return null;
  }
  return {
    node: { ...address.dataset, path: address.path },
    depth: address.depth,
    types: address.influences ? ["DIRECT", "INDIRECT"] : ["DIRECT"],
    level: address.level === "JOB" ? "DATASET" : address.level,
    asOf: address.asOf,
  };
}

function lineageOfAnswer(answer: Answer<"Both"> | undefined, { way }: Address): Lineage {
  if (!answer) {
    return NOTHING;
  }
  const { backward, forward } = answer.lineage;
  const back = way === "FORWARD" ? NOTHING : lineageOf(backward, -1);
  return way === "BACKWARD" ? back : join(back, lineageOf(forward, 1));
}

function pictureOf(
  address: Address,
  lineage: Lineage,
  toggled: ReadonlySet<string>,
  flow: Answer<"DataFlow"> | undefined,
): Picture {
  if (!address.dataset) {
    return flow ? flowPicture(flow.dataFlow) : EMPTY;
  }
  const start = datasetKey(address.dataset);
  return lineagePicture(lineage, {
    level: address.level,
    isOpen: (key, usually) => toggled.has(key) !== usually,
    start,
  });
}

/** What is on the way of the selected path; null where no path is selected. */
function litBy(selection: Selection, lineage: Lineage, picture: Picture) {
  if (selection?.kind !== "path") {
    return null;
  }
  const way = wayOf(lineage, selection.node);
  const on = (keys: ReadonlySet<string>) => (line: Line) => line.edges.some((edge) => keys.has(edge.key));
  const values = new Set(picture.lines.filter(on(way.values)).map((line) => line.id));
  const influences = picture.lines.filter(on(way.influences)).map((line) => line.id);
  return { nodes: way.nodes, values, influences: new Set(influences.filter((id) => !values.has(id))) };
}
