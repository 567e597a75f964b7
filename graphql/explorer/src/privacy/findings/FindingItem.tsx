// A finding: what it is about, its history, and the decision about it.
import { type FormEvent, useState } from "react";

import { useAddress } from "../../page/address";
import { Categories } from "../../page/Categories";
import { Problem } from "../../page/Problem";
import type { ServerError } from "../../server/client";
import { useAnswer } from "../../server/useAnswer";
import { useMomentText } from "../../time/localised";
import { useWords } from "../../words/words";
import { FormWord } from "../FormMark";
import { nameOf } from "../Witness";
import { wayBack } from "../ways";
import { type Finding, useDecide } from "./useFindings";

type Decided = "ACKNOWLEDGED" | "RESOLVED";

interface Props {
  readonly finding: Finding;
  readonly onDecided: (state: Decided) => void;
}

export function FindingItem({ finding, onDecided }: Props) {
  const words = useWords();
  const momentText = useMomentText();
  const [, go] = useAddress();
  const { findings } = words.privacy;
  const { policy, severity, state, node, attribute, category, forms, jobs, noticed, changed, by, reason } =
    finding;
  const { countries, readable } = finding;
  return (
    <li className={`finding ${severity}`}>
      <h2>
        <span className={`severity ${severity}`}>{findings.severities[severity]}</span> {policy}{" "}
        <span className="state">{findings.states[state]}</span>
      </h2>
      <dl>
        <dt>{findings.place}</dt>
        <dd>
          {nameOf(node)}{" "}
          <button type="button" className="link" onClick={() => go(wayBack(node))}>
            {findings.show}
          </button>
        </dd>
        <dt>{findings.forms}</dt>
        <dd>
          {forms.map((form) => (
            <FormWord key={form} form={form} />
          ))}
        </dd>
        {countries.length > 0 && (
          <>
            <dt>{words.residency.title}</dt>
            <dd>{words.residency.outside(countries.join(", "))}</dd>
          </>
        )}
        {readable && (
          <>
            <dt>{findings.pseudonym}</dt>
            <dd>{nameOf(readable.pseudonym)}</dd>
            <dt>{findings.readableBy}</dt>
            <dd>
              {nameOf(readable.source)} · {findings.readable[readable.how]} <FormWord form={readable.form} />
            </dd>
          </>
        )}
        <dt>{findings.attribute}</dt>
        <dd>
          {nameOf(attribute)} · <Categories keys={[category]} />
        </dd>
        <dt>{findings.jobs}</dt>
        <dd>
          {jobs.map(({ namespace, name }) => (
            <button
              type="button"
              className="link"
              key={`${namespace} ${name}`}
              onClick={() => go({ view: "runs", job: { namespace, name } })}
            >
              {name}
            </button>
          ))}
        </dd>
        <dt>{findings.noticed}</dt>
        <dd>{momentText(noticed)}</dd>
        <dt>{findings.lastChange}</dt>
        <dd>
          {findings.changed(momentText(changed), by)}: {words.server.detail(reason)}
        </dd>
      </dl>
      <History finding={finding} />
      {state !== "CLEARED" && <Decision finding={finding} onDecided={onDecided} />}
    </li>
  );
}

function History({ finding }: { finding: Finding }) {
  const words = useWords();
  const momentText = useMomentText();
  const { findings } = words.privacy;
  const [open, setOpen] = useState(false);
  const { data, error, isLoading } = useAnswer(
    "FindingHistory",
    open ? { finding: finding.id, first: 100 } : null,
  );
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{findings.history}</summary>
      {isLoading && <output>{words.loading}</output>}
      {error && <Problem error={error} />}
      <ol>
        {data?.findingHistory.edges.map(({ node }) => (
          <li key={`${node.changed} ${node.state}`}>
            <strong>{findings.states[node.state]}</strong> ·{" "}
            {findings.changed(momentText(node.changed), node.by)}: {words.server.detail(node.reason)}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Decision({ finding, onDecided }: Props) {
  const { privacy } = useWords();
  const decide = useDecide();
  const [reason, setReason] = useState("");
  const [state, setState] = useState<"idle" | "sending" | ServerError>("idle");
  const { findings } = privacy;
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const button = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null;
    const wanted: Decided = button?.value === "RESOLVED" ? "RESOLVED" : "ACKNOWLEDGED";
    setState("sending");
    try {
      await decide(finding.id, wanted, reason);
      setState("idle");
      setReason((now) => (now === reason ? "" : now));
      onDecided(wanted);
    } catch (error) {
      setState(error as ServerError);
    }
  };
  return (
    <form className="decision" onSubmit={onSubmit}>
      <label>
        {findings.reason}
        <input
          type="text"
          required
          value={reason}
          title={findings.reasonNeeded}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      {finding.state !== "ACKNOWLEDGED" && (
        <button type="submit" value="ACKNOWLEDGED" disabled={state === "sending"}>
          {findings.acknowledge}
        </button>
      )}
      {finding.state !== "RESOLVED" && (
        <button type="submit" value="RESOLVED" disabled={state === "sending"}>
          {findings.resolve}
        </button>
      )}
      {state instanceof Error && <Problem error={state} />}
    </form>
  );
}
