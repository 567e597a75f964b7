// The page of `headwater records serve`, at the address that the command has unless another is given.
const ADDRESS = "http://127.0.0.1:8056/";

/** The page with an output filled in, in the reader's language. */
export function recordsPage(output: string, language: string): string {
  return `${ADDRESS}?${new URLSearchParams({ output, language })}`;
}
