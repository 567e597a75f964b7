// The credential of this browser tab: kept in the tab's session storage, never in an address.
import { storeOf } from "../state/store";

const KEY = "headwater.credential";

export interface Session {
  /** The API key or token; null before somebody signs in, and after they signed out. */
  readonly credential: string | null;
  /** Whether the server refuses the credential, as it does when a token has expired. */
  readonly refused: boolean;
}

const current = storeOf<Session>({ credential: stored(), refused: false });

export const session = current.get;
export const useSession = current.use;

/** The headers that authenticate a request; none before somebody signs in. */
export function authorization(credential = session().credential): Record<string, string> {
  return credential ? { authorization: `Bearer ${credential}` } : {};
}

/** Use this API key or token from now on; null signs out. */
export function setCredential(credential: string | null): void {
  if (credential === null) {
    sessionStorage.removeItem(KEY);
  } else {
    sessionStorage.setItem(KEY, credential);
  }
  current.set({ credential, refused: false });
}

/** The server refuses this credential; of no effect if another one is used by now. */
export function refuse(credential: string | null): void {
  if (credential !== null && credential === session().credential) {
    current.set({ credential, refused: true });
  }
}

/** What an earlier page of this tab stored; in a frame, browsers may refuse to say. */
function stored(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
