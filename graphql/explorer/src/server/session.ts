// The credential of this browser tab: kept in the tab's session storage, never in an address.
const KEY = "headwater.credential";

/** Headers that authenticate a request; none before somebody signs in. */
export function authorization(): Record<string, string> {
  const credential = sessionStorage.getItem(KEY);
  return credential ? { authorization: `Bearer ${credential}` } : {};
}

/** Use this API key or token from now on; null signs out. */
export function setCredential(credential: string | null): void {
  if (credential === null) {
    sessionStorage.removeItem(KEY);
  } else {
    sessionStorage.setItem(KEY, credential);
  }
}
