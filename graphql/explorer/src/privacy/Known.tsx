// How much a privacy answer can say: what is classified, and what is not known of the lineage.
import type { Gap } from "../lineage/model";
import { readableSteps } from "../lineage/names";
import type { Answer } from "../server/client";
import { useWords } from "../words/words";

interface Props {
  readonly complete: boolean;
  readonly incomplete: readonly Gap[];
  readonly classification: Answer<"ExposureMatrix">["exposureMatrix"]["classification"];
}

const LISTED = 100;

export function Known({ complete, incomplete, classification }: Props) {
  const { privacy, server } = useWords();
  const { attributes, classifiedDatasets, datasets, unmatchedRules, declassifications } = classification;
  if (attributes === 0) {
    return (
      <p className="doubt" role="alert">
        {privacy.nothingClassified}
      </p>
    );
  }
  return (
    <div className="known">
      <p className="quiet">{privacy.known(attributes, classifiedDatasets, datasets)}</p>
      {!complete && (
        <details className="doubt">
          <summary>{privacy.incomplete(incomplete.length)}</summary>
          <h3>{privacy.gapList}</h3>
          <ul>
            {incomplete.slice(0, LISTED).map((gap) => (
              <li key={JSON.stringify(gap)}>
                <code>{gap.reason}</code> {gap.name} {readableSteps(gap.path).join(".")}{" "}
                {server.detail(gap.detail)}
              </li>
            ))}
            {incomplete.length > LISTED && <li>… + {incomplete.length - LISTED}</li>}
          </ul>
        </details>
      )}
      {unmatchedRules.length > 0 && (
        <details className="doubt">
          <summary>{privacy.rulesUnmatched(unmatchedRules.length)}</summary>
          <ul>
            {unmatchedRules.map((rule) => (
              <li key={`${rule.line} ${rule.detail}`}>
                {server.detail(rule.detail)} {server.detail(rule.hint ?? "")}
              </li>
            ))}
          </ul>
        </details>
      )}
      {declassifications.length > 0 && (
        <details className="doubt">
          <summary>{privacy.declassified(declassifications.length)}</summary>
          <ul>
            {declassifications.map((each) => (
              <li key={JSON.stringify([each.node, each.job])}>
                {each.node.name} {each.node.label}: {each.by}, {each.reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
