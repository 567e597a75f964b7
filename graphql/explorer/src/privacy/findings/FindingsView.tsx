// The view of findings: what violates policies, where, and what people decided about it.
import { useState } from "react";

import { useAddress } from "../../app/address";
import { Problem } from "../../app/Problem";
import { PastMoment } from "../../time/TimeBar";
import { useWords } from "../../words/words";
import { FindingItem } from "./FindingItem";
import { UNDECIDED, useFindings } from "./useFindings";

const CHOICES = ["undecided", "OPEN", "ACKNOWLEDGED", "RESOLVED", "CLEARED", "all"] as const;
type Choice = (typeof CHOICES)[number];

export function FindingsView() {
  const words = useWords();
  const { findings } = words.privacy;
  const [{ asOf }] = useAddress();
  const [choice, setChoice] = useState<Choice>("undecided");
  const [policy, setPolicy] = useState("");
  const [said, setSaid] = useState("");
  const states = choice === "all" ? null : choice === "undecided" ? UNDECIDED : [choice];
  const { data, error, isLoading, hasNextPage, fetchNextPage } = useFindings({
    states,
    asOf,
    policy: policy || null,
  });
  const policies = [
    ...new Set([...(policy ? [policy] : []), ...(data ?? []).map((each) => each.policy)]),
  ].sort();
  const nameOf = (each: Choice) =>
    each === "undecided" ? findings.undecided : each === "all" ? findings.all : findings.states[each];
  return (
    <div className="privacy-view findings-view">
      <h1>{findings.title}</h1>
      <p className="quiet">{findings.about}</p>
      <PastMoment />
      <div className="choices">
        <label>
          {findings.state}
          <select value={choice} onChange={(event) => setChoice(event.target.value as Choice)}>
            {CHOICES.map((each) => (
              <option key={each} value={each}>
                {nameOf(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {findings.policy}
          <select value={policy} onChange={(event) => setPolicy(event.target.value)}>
            <option value="">{findings.anyPolicy}</option>
            {policies.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </div>
      <output>{said}</output>
      {isLoading && <output>{words.loading}</output>}
      {error && <Problem error={error} />}
      {data?.length === 0 && (
        <p>
          {findings.none} {findings.noneMeans}
        </p>
      )}
      <ul className="findings">
        {data?.map((finding) => (
          <FindingItem
            key={finding.id}
            finding={finding}
            onDecided={(state) => setSaid(`${finding.policy}: ${findings.decided(findings.states[state])}`)}
          />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" onClick={() => fetchNextPage()}>
          {findings.more}
        </button>
      )}
    </div>
  );
}
