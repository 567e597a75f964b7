// What a page that opens does first: sign in whoever comes back from the identity provider.

import { setCredential } from "../server/session";
import { settings } from "../state/settings";
import { problemOf } from "./check";
import { type Arrival, arrive } from "./provider";

export async function signInOnArrival(): Promise<Arrival> {
  const arrival: Arrival = settings.embedded ? { kind: "nothing" } : await arrive();
  if (arrival.kind !== "token") {
    return arrival;
  }
  const problem = await problemOf(arrival.token);
  if (problem.length > 0) {
    return { kind: "failed", reason: "server", detail: problem };
  }
  setCredential(arrival.token);
  return { kind: "nothing" };
}
