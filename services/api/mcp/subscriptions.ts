import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import { maySee } from "#shared/access/authorize.ts";
import { findSessions } from "#shared/database/find-session.ts";
import { pause } from "#shared/pause.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { Caller } from "../http/caller.ts";
import { RequestError } from "../http/request-error.ts";
import type { SseConnection } from "../sse/sse-connections.ts";
import { sessionOfUri } from "./resources.ts";

export const LISTEN = "subscriptions/listen";
const MAX_URIS = 100;
/** A session that works has several events a second; a client reads it again after each notice. */
const APART_MS = 500;
const FOREVER_MS = 2 ** 31 - 1;

interface Followed {
  readonly uris: readonly string[];
  readonly connection: SseConnection;
  readonly lastSeq: number;
}

/** What one message may subscribe to. */
interface Subscriptions {
  /** Those of the URIs that exist for the caller. */
  readonly uris: readonly string[];
  readonly bus: ServerEventBus;
}

/**
 * Follows the sessions of these resources that the caller may see; the others are left out, whether they exist or not. Each session takes
 * a place of the event streams until `ending` aborts; a session that is deleted aborts it. Rejects with RequestError 400, 429 and 503.
 */
export async function followResources(
  { db, sse }: Pick<ApiDeps, "db" | "sse">,
  { identity }: Caller,
  asked: readonly string[],
  ending: AbortController,
): Promise<Subscriptions> {
  if (asked.length > MAX_URIS) {
    throw new RequestError(400, `at most ${MAX_URIS} resources can be followed at once`);
  }
  const bySession = Map.groupBy(new Set(asked), (uri) => sessionOfUri(uri)?.id);
  const wanted = [...bySession].flatMap(([id, uris]) => (id === undefined ? [] : [{ id, uris }]));
  // Before the rows are read: what happens meanwhile is noticed.
  const found = await findSessions(
    db,
    wanted.map(({ id }) => id),
  );
  const followed: Followed[] = [];
  for (const { id, uris } of wanted) {
    const session = found.get(id);
    if (session === undefined || !maySee(identity, session)) continue;
    const connection = sse.open(id, identity, ending.signal);
    connection.signal.addEventListener("abort", () => ending.abort(), { once: true });
    followed.push({ uris, connection, lastSeq: session.last_seq });
  }
  return { uris: followed.flatMap(({ uris }) => uris), bus: new SessionBus(followed) };
}

/** Gives the subscription of one message the events of its sessions. */
class SessionBus implements ServerEventBus {
  readonly #followed: readonly Followed[];

  constructor(followed: readonly Followed[]) {
    this.#followed = followed;
  }

  /** Nothing in this process publishes: the events come from NATS. */
  publish(): void {}

  subscribe(listener: (event: ServerEvent) => void): () => void {
    const stopping = new AbortController();
    for (const one of this.#followed) void notify(one, listener, stopping.signal);
    return () => stopping.abort();
  }
}

/** Never rejects. */
async function notify(
  { uris, connection, lastSeq }: Followed,
  listener: (event: ServerEvent) => void,
  stopping: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([connection.signal, stopping]);
  let seen = lastSeq;
  while (!signal.aborted) {
    await connection.waitForEventAfter(seen, FOREVER_MS);
    if (signal.aborted) return;
    if (connection.newestSeq <= seen) continue;
    seen = connection.newestSeq;
    for (const uri of uris) listener({ kind: "resource_updated", uri });
    await pause(APART_MS, signal).catch(() => undefined);
  }
}
