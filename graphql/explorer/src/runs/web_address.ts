// Which of the addresses that events name may be links: those of web pages, and no scripts or files.

/** The address if it is that of a web page; null for all others. */
export function webAddress(text: string | null | undefined): string | null {
  const url = text && URL.canParse(text) ? new URL(text) : null;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
