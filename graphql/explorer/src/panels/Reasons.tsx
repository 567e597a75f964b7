// How a path comes from another, or influences it: `IDENTITY · EXTRACT, FLATTEN`, with functions and masking.
import type { Transformation } from "../lineage/model";
import { useWords } from "../words/words";

export function Reasons({ transformations }: { transformations: readonly Transformation[] }) {
  const words = useWords();
  return transformations.map((each) => (
    <span key={JSON.stringify(each)} className="reason">
      <code>{[each.subtype, each.manipulation.join(", ")].filter(Boolean).join(" · ")}</code>{" "}
      <span>
        {[words.server.subtype(each.subtype), ...each.manipulation.map(words.server.manipulation)].join(", ")}
      </span>
      {each.functions.length > 0 && (
        <span>
          {words.canvas.functions} <code>{each.functions.join(", ")}</code>
        </span>
      )}
      {each.masking && <span className="masked">{words.canvas.masked}</span>}
    </span>
  ));
}
