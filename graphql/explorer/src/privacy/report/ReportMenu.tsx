// A report of what is shown: its kind and format, and the button that saves it.
import { useState } from "react";

import { useAddress } from "../../page/address";
import { Problem } from "../../page/Problem";
import type { ServerError } from "../../server/client";
import type { ReportFormat } from "../../server/generated";
import { usePreferences } from "../../state/preferences";
import { asLocal } from "../../time/moments";
import { useWords } from "../../words/words";
import { saveReport } from "./download";

const FORMATS: readonly ReportFormat[] = ["HTML", "PDF", "XLSX", "CSV", "JSON", "DPV", "PROV_JSON", "PROV_O"];
const MONTH = 30 * 86_400_000;
type Kind = "EXPOSURE" | "REVIEW" | "TRANSFERS";

export function ReportMenu({ kinds }: { kinds: readonly [Kind, ...Kind[]] }) {
  const { privacy, close } = useWords();
  const [{ language }] = usePreferences();
  const [{ asOf, since, influenced }] = useAddress();
  const [kind, setKind] = useState<Kind>(kinds[0]);
  const [format, setFormat] = useState<ReportFormat>("HTML");
  const [from, setFrom] = useState(() => asLocal(since ?? new Date(Date.now() - MONTH).toISOString()));
  const [state, setState] = useState<"idle" | "working" | ServerError | { readonly notice: string }>("idle");
  const words = privacy.report;
  const download = async () => {
    setState("working");
    try {
      const { report, name } = await saveReport({
        kind,
        format,
        language: language === "de" ? "DE" : "EN",
        asOf,
        influenced,
        ...(kind === "REVIEW" && { since: new Date(from).toISOString() }),
      });
      const doubts = [!report.classified && words.unclassified, !report.complete && words.incomplete];
      setState({ notice: [words.done(name), ...doubts.filter(Boolean)].join(" ") });
    } catch (error) {
      setState(error as ServerError);
    }
  };
  return (
    <details
      className="settings report"
      onKeyDown={(event) => event.key === "Escape" && shut(event.currentTarget)}
    >
      <summary>{words.title}</summary>
      <div className="menu">
        <label>
          {words.kind}
          <select value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
            {kinds.map((each) => (
              <option key={each} value={each}>
                {words.kinds[each]}
              </option>
            ))}
          </select>
        </label>
        {kind === "REVIEW" && (
          <label>
            {words.since}
            <input
              type="datetime-local"
              value={from}
              required
              onChange={(event) => event.target.value && setFrom(event.target.value)}
            />
          </label>
        )}
        <label>
          {words.format}
          <select value={format} onChange={(event) => setFormat(event.target.value as ReportFormat)}>
            {FORMATS.map((each) => (
              <option key={each} value={each}>
                {each.replace("_", "-")}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={state === "working"} onClick={download}>
          {words.download}
        </button>
        <button type="button" onClick={(event) => shut(event.currentTarget.closest("details"))}>
          {close}
        </button>
        {state === "working" && <output>{words.working}</output>}
        {state instanceof Error && <Problem error={state} />}
        {typeof state === "object" && "notice" in state && <output>{state.notice}</output>}
      </div>
    </details>
  );
}

function shut(menu: HTMLDetailsElement | null): void {
  menu?.removeAttribute("open");
  menu?.querySelector("summary")?.focus();
}
