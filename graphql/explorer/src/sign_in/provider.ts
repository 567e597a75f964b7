// Signing in at the OpenID provider: authorization code with PKCE, as a public client. The state of the round trip is in
// the tab's session storage until the provider leads back; neither a token nor a verifier is ever in an address.
import * as oauth from "oauth4webapi";

import { type ProviderSettings, settings } from "../state/settings";

const KEY = "headwater.sign-in";

interface RoundTrip {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The query of the page that somebody signs in from. */
  readonly query: string;
}

/** Why nobody is signed in: the answer was not asked for, the provider refused, gave no token, or the server refuses it. */
export type Failure = "unexpected" | "refused" | "exchange" | "server";

/** What came of the way back from the provider. */
export type Arrival =
  | { readonly kind: "nothing" }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "failed"; readonly reason: Failure; readonly detail: readonly string[] };

/** Leave for the provider; it leads back to the page's root. */
export async function leaveFor(provider: ProviderSettings): Promise<void> {
  if (!provider.addresses) {
    return;
  }
  const trip: RoundTrip = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    query: location.search,
  };
  const address = new URL(provider.addresses.authorize);
  const asked = {
    response_type: "code",
    client_id: provider.client,
    redirect_uri: here(),
    scope: provider.scopes,
    state: trip.state,
    nonce: trip.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(trip.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(asked)) {
    address.searchParams.set(name, value);
  }
  sessionStorage.setItem(KEY, JSON.stringify(trip));
  location.assign(address);
}

/** Take what the provider sent from the address at once, restore the address before, and get the token for it. */
export async function arrive(provider = settings.signIn?.provider ?? null): Promise<Arrival> {
  const given = new URLSearchParams(location.search);
  if (!given.has("state") || !(given.has("code") || given.has("error"))) {
    return { kind: "nothing" };
  }
  const trip: RoundTrip | null = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  sessionStorage.removeItem(KEY);
  history.replaceState(null, "", `/${trip?.query ?? ""}`);
  if (!trip || !provider?.addresses || given.get("state") !== trip.state) {
    return { kind: "failed", reason: "unexpected", detail: [] };
  }
  try {
    return { kind: "token", token: await exchange(provider, provider.addresses.token, given, trip) };
  } catch (error) {
    const refused = error instanceof oauth.AuthorizationResponseError;
    const detail = refused ? (error.error_description ?? error.error) : String(error);
    return { kind: "failed", reason: refused ? "refused" : "exchange", detail: [detail] };
  }
}

async function exchange(
  provider: ProviderSettings,
  address: string,
  given: URLSearchParams,
  { state, nonce, verifier }: RoundTrip,
): Promise<string> {
  const server: oauth.AuthorizationServer = {
    issuer: provider.issuer,
    token_endpoint: address,
    id_token_signing_alg_values_supported: [...provider.algorithms],
  };
  const client: oauth.Client = { client_id: provider.client };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    oauth.validateAuthResponse(server, client, given, state),
    here(),
    verifier,
    // The server names plain HTTP on loopback only.
    { [oauth.allowInsecureRequests]: address.startsWith("http:") },
  );
  const openid = provider.scopes.split(" ").includes("openid");
  const found = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    response,
    openid ? { expectedNonce: nonce, requireIdToken: true } : {},
  );
  return (provider.idToken && found.id_token) || found.access_token;
}

function here(): string {
  return `${location.origin}/`;
}
