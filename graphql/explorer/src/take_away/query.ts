// The questions behind a picture, as text that other programs can ask.
import BACKWARD from "../../../queries/backward.graphql";
import BOTH from "../../../queries/both.graphql";
import DATA_FLOW from "../../../queries/data_flow.graphql";
import FORWARD from "../../../queries/forward.graphql";
import OVERVIEW from "../../../queries/overview.graphql";
import type { Operation } from "../server/client";

/** The texts of the operations that pictures are made of. */
const TEXTS: Partial<Record<Operation, string>> = {
  Both: BOTH,
  Backward: BACKWARD,
  Forward: FORWARD,
  DataFlow: DATA_FLOW,
  Overview: OVERVIEW,
};

export interface Asked {
  readonly operation: Operation;
  readonly variables: unknown;
}

/** Those of the questions that pictures are made of. */
export function ofPictures(asked: readonly Asked[]): Asked[] {
  return asked.filter(({ operation, variables }) => operation in TEXTS && variables !== null);
}

/** The operations' texts, each with its variables as a comment above it. */
export function queryText(asked: readonly Asked[]): string {
  return asked
    .map(({ operation, variables }) => {
      const json = JSON.stringify(variables, null, 2).replace(/^/gm, "# ");
      return `# Variables:\n${json}\n${TEXTS[operation]}`;
    })
    .join("\n");
}

/** Commands that ask the server the same. A key is read from the environment, where one is needed. */
export function curlText(asked: readonly Asked[], origin: string): string {
  return asked
    .map(({ operation, variables }) => {
      const body = JSON.stringify({ operationName: operation, variables });
      return [
        `curl --fail-with-body ${quoted(`${origin}/graphql`)}`,
        "-H 'content-type: application/json'",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
        '${HEADWATER_API_KEY:+-H "authorization: Bearer $HEADWATER_API_KEY"}',
        `--data ${quoted(body)}\n`,
      ].join(" \\\n  ");
    })
    .join("\n");
}

function quoted(text: string): string {
  return `'${text.replace(/'/g, "'\\''")}'`;
}
