// Reports as files that the browser saves.
import { type Answer, ask, type Variables } from "../../server/client";

export type Report = Answer<"Report">["report"];

/** Asks for a report and saves it; the answer is what the server says of it, and the file's name. */
export async function saveReport(variables: Variables<"Report">): Promise<{ report: Report; name: string }> {
  const { report } = await ask("Report", variables);
  const name = fileName(report);
  save(new Blob([contentOf(report)], { type: report.mediaType }), name);
  return { report, name };
}

/** The report's name for a file: its kind and the moment that it is of. */
export function fileName({ kind, asOf, suffix }: Pick<Report, "kind" | "asOf" | "suffix">): string {
  const moment = asOf.slice(0, 19).replace(/[:T]/g, "-");
  return `headwater-${kind.toLowerCase()}-${moment}${suffix.startsWith(".") ? "" : "."}${suffix}`;
}

function contentOf({ text, base64 }: Report): BlobPart {
  return text ?? Uint8Array.from(atob(base64 ?? ""), (letter) => letter.charCodeAt(0));
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
