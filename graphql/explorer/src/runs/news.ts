// News of runs, as their events are stored: over one WebSocket, which is opened again when it breaks. The credential is
// in its first message, because browsers send no header with it, and never in its address.
import { type Client, createClient } from "graphql-ws";
import { useEffect, useState } from "react";

import type { Answer } from "../server/client";
import { authorization, refuse, useSession } from "../server/session";
import { answers } from "../server/useAnswer";

export type News = NonNullable<Answer<"RunNews">["runNews"]>;
export type Connection = "connecting" | "live" | "lost" | "refused";

export interface Live {
  readonly connection: Connection;
  /** The newest state of each run that there was news of, by its key. */
  readonly news: ReadonlyMap<string, News>;
  /** The number of updates that were left out. */
  readonly missed: number;
}

interface Wanted {
  readonly namespace?: string;
  readonly job?: string;
}

const OF_RUNS = new Set(["Jobs", "Job", "JobRuns", "NewestRuns"]);
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;
const MOST_KEPT = 1_000;
const MOST_WAIT = 30_000;
const NOTHING: Live = { connection: "connecting", news: new Map(), missed: 0 };

/** News of the runs of matching jobs, from now on; nothing is asked while they are not wanted. */
export function useNews({ namespace, job }: Wanted, wanted = true): Live {
  const { credential } = useSession();
  const [live, setLive] = useState(NOTHING);
  useEffect(() => {
    setLive(NOTHING);
    if (!wanted) {
      return;
    }
    const client = connect(credential, (connection) =>
      setLive((before) => withConnection(before, connection)),
    );
    const stop = client.subscribe<Answer<"RunNews">>(
      {
        operationName: "RunNews",
        query: "",
        variables: { namespace: namespace ?? null, job: job ?? null, ready: true },
      },
      {
        next: ({ data, errors }) => {
          if (data && !errors) {
            setLive((before) => withAnswer(before, data.runNews));
            if (data.runNews === null) {
              askAgain();
            }
          }
          if (errors) {
            setLive((before) => ({ ...before, connection: "refused" }));
            if (errors[0]?.extensions?.code === "UNAUTHENTICATED") {
              refuse(credential);
            }
          }
        },
        error: () => setLive((before) => ({ ...before, connection: "refused" })),
        complete: () => {},
      },
    );
    return () => {
      stop();
      void client.dispose();
    };
  }, [credential, namespace, job, wanted]);
  return live;
}

export function newsKey(run: { readonly job: { namespace: string; name: string }; runId: string }): string {
  return JSON.stringify([run.job.namespace, run.job.name, run.runId]);
}

/** The state after one more piece of news; the oldest are forgotten. */
export function withNews(before: Live, found: News): Live {
  const news = new Map(before.news);
  news.delete(newsKey(found));
  news.set(newsKey(found), found);
  for (const key of [...news.keys()].slice(0, Math.max(0, news.size - MOST_KEPT))) {
    news.delete(key);
  }
  return { ...before, news, missed: before.missed + found.missed };
}

/** The state after the connection changed; what was news before it broke is asked for instead. */
export function withConnection(before: Live, connection: Connection): Live {
  return connection === "live" ? { ...before, connection, news: new Map() } : { ...before, connection };
}

/** The state after an answer: news, or null once none is missed, which is later than the connection was made. */
export function withAnswer(before: Live, found: News | null): Live {
  return found ? withNews(before, found) : withConnection(before, "live");
}

/** Asks again what may have changed before there was news of it. */
function askAgain(): void {
  void answers.invalidateQueries({ predicate: ({ queryKey }) => OF_RUNS.has(String(queryKey[0])) });
}

/** A client that reports when its connection breaks; that it is made is no sign of news yet. */
function connect(credential: string | null, report: (connection: Connection) => void): Client {
  return createClient({
    url: location.origin.replace("http", "ws").concat("/graphql"),
    connectionParams: authorization(credential),
    lazy: true,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (retries) =>
      new Promise((resolve) => setTimeout(resolve, Math.min(1_000 * 2 ** retries, MOST_WAIT))),
    shouldRetry: (event) => !(event instanceof CloseEvent && [UNAUTHORIZED, FORBIDDEN].includes(event.code)),
    on: {
      closed: (event) => {
        const refused = event instanceof CloseEvent && [UNAUTHORIZED, FORBIDDEN].includes(event.code);
        report(refused ? "refused" : "lost");
        if (event instanceof CloseEvent && event.code === UNAUTHORIZED) {
          refuse(credential);
        }
      },
    },
  });
}
