// Why no data can take the line under the pointer, or the selected one: written at the line.
import { ViewportPortal } from "@xyflow/react";

import { middleOf, type Route } from "../layout/routes";
import type { Line } from "../picture/model";
import { useWords } from "../words/words";

/** More than these are in the details only. */
const MOST = 3;

interface Props {
  readonly line: Line | undefined;
  readonly route: Route | undefined;
  readonly zoom: number;
}

export function Because({ line, route, zoom }: Props) {
  const words = useWords();
  const at = route && middleOf(route);
  if (!line?.pruned || !at) {
    return null;
  }
  const sentences = [...new Set(line.edges.flatMap(({ because }) => because ?? []))].map(words.server.detail);
  const [first, ...others] = sentences.length > 0 ? sentences : [words.active.behind];
  return (
    <ViewportPortal>
      <div
        className="because"
        role="tooltip"
        style={{ transform: `translate(${at.x}px, ${at.y}px) scale(${1 / zoom}) translate(-50%, 14px)` }}
      >
        <strong>{words.active.pruned}</strong>
        {[first, ...others.slice(0, MOST - 1)].map((each) => (
          <p key={each}>{each}</p>
        ))}
        {sentences.length > MOST && <p>{words.canvas.moreEdges(sentences.length - MOST)}</p>}
      </div>
    </ViewportPortal>
  );
}
