// When a credential ended, as far as it says so itself.

/** The moment after which a token is no longer valid, if that has passed; null of API keys, and of what is still valid. */
export function expiredAt(credential: string | null, now = Date.now()): string | null {
  const ends = endOf(credential?.split(".")[1] ?? "") * 1000;
  return ends > 0 && ends < now ? new Date(ends).toISOString() : null;
}

/** The number of seconds since 1970 in the claims of a token; NaN where there is none. */
function endOf(claims: string): number {
  try {
    const text = atob(claims.replace(/-/g, "+").replace(/_/g, "/"));
    return Number(JSON.parse(text).exp ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
}
