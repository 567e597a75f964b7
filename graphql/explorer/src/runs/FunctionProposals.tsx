// Proposals of what functions of a job do: shown to all who see all names, and decided by stewards with a reason.
import { useState } from "react";

import type { JobRef } from "../lineage/names";
import { Problem } from "../page/Problem";
import { type Answer, ask, type ServerError, type Variables } from "../server/client";
import { answers, useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";

export type Proposal = Answer<"FunctionProposals">["functionProposals"]["edges"][number]["node"];
type Verdict = "accepted" | "refused" | "reopened";

/** What can be decided of a proposal in each state. */
export const VERDICTS: Readonly<Record<Proposal["state"], readonly Verdict[]>> = {
  PROPOSED: ["accepted", "refused"],
  ACCEPTED: ["reopened"],
  REFUSED: ["reopened"],
};

export function FunctionProposals({ job }: { readonly job: JobRef }) {
  const { functions: words, ...all } = useWords();
  const { namespace, name } = job;
  const [count, setCount] = useState(50);
  const { data, error } = useAnswer(
    "FunctionProposals",
    namespace === "closed" ? null : { job: { namespace, name }, first: count },
    true,
  );
  const caller = useAnswer("Caller", {});
  const decides = caller.data?.caller.fields.includes("decideFunctions") ?? false;
  const found = data?.functionProposals.edges.map(({ node }) => node) ?? [];
  if (error && error.code !== "FORBIDDEN") {
    return <Problem error={error} />;
  }
  if (found.length === 0) {
    return null;
  }
  return (
    <>
      <h3>{words.proposals}</h3>
      <p className="quiet">{words.proposalsMean}</p>
      <ul className="functions function-proposals" aria-label={words.proposals}>
        {found.map((each) => (
          <li key={each.id}>
            <Described proposal={each} />
            {decides && <Deciding key={each.state} proposal={each} />}
          </li>
        ))}
      </ul>
      {data?.functionProposals.pageInfo.hasNextPage && count < 1_000 && (
        <button type="button" onClick={() => setCount(Math.min(count * 2, 1_000))}>
          {all.runs.more}
        </button>
      )}
    </>
  );
}

function Described({ proposal }: { readonly proposal: Proposal }) {
  const words = useWords().functions;
  const [newest] = proposal.decisions;
  return (
    <>
      <code>{proposal.function}</code> ({proposal.file}:{proposal.line}):{" "}
      <strong>{words.states[proposal.state]}</strong>
      {newest && (
        <span className="quiet">
          {" "}
          {words.decided(newest.by, newest.at.slice(0, 10))}: {newest.reason}
        </span>
      )}
      <ul>
        {proposal.reads.map((line) => (
          <li key={line}>
            <code>{line}</code>
          </li>
        ))}
        {proposal.reads.length === 0 && <li>{words.readsNothing}</li>}
      </ul>
      {proposal.writes !== null && (
        <p>
          {words.writes} <code>{proposal.writes}</code>
        </p>
      )}
      {proposal.checks.map((check) => (
        <p key={check} className="quiet">
          {words.check(check)}
        </p>
      ))}
    </>
  );
}

function Deciding({ proposal }: { readonly proposal: Proposal }) {
  const { functions: words, privacy } = useWords();
  const [reason, setReason] = useState("");
  const [state, setState] = useState<"idle" | "working" | ServerError>("idle");
  const decide = async (verdict: Verdict) => {
    setState("working");
    try {
      await ask("DecideFunctions", wished(verdict, proposal.id, reason));
      await answers.invalidateQueries({ queryKey: ["FunctionProposals"] });
      setReason("");
      setState("idle");
    } catch (error) {
      setState(error as ServerError);
    }
  };
  return (
    <form className="choices" aria-label={proposal.function} onSubmit={(event) => event.preventDefault()}>
      <label>
        {privacy.findings.reason}{" "}
        <input
          type="text"
          value={reason}
          title={privacy.findings.reasonNeeded}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      {VERDICTS[proposal.state].map((verdict) => (
        <button
          key={verdict}
          type="button"
          disabled={reason.trim() === "" || state === "working"}
          onClick={() => void decide(verdict)}
        >
          {words.verdicts[verdict]}
        </button>
      ))}
      {state instanceof Error && <Problem error={state} />}
    </form>
  );
}

/** The variables that put one verdict in force. */
export function wished(verdict: Verdict, id: string, reason: string): Variables<"DecideFunctions"> {
  return { [verdict]: [id], reason, dryRun: false };
}
