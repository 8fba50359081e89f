import { LRUCache } from "lru-cache";
import { maySee, seesAll, type SessionAccess } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { findSession, unknownSession } from "#shared/database/find-session.ts";
import type { DatabaseReads } from "../feed/database-reads.ts";

const MAX_REMEMBERED = 10_000;

/** Which sessions a client may see. Owner and teams of a session never change, so they are remembered. */
export class VisibleSessions {
  readonly #reads: DatabaseReads;
  readonly #remembered = new LRUCache<string, SessionAccess>({ max: MAX_REMEMBERED });

  constructor(reads: DatabaseReads) {
    this.#reads = reads;
  }

  /** Throws TerminalError `unknown_session` if the client may not see the session, as for one that does not exist. */
  async check(identity: Identity, sessionId: string, signal: AbortSignal): Promise<void> {
    if (seesAll(identity)) return;
    const isVisible = this.remembered(identity, sessionId) ?? (await this.find(identity, sessionId, signal));
    if (!isVisible) throw unknownSession(sessionId);
  }

  /** Whether the client may see the session; undefined if that has to be read. */
  remembered(identity: Identity, sessionId: string): boolean | undefined {
    const access = this.#remembered.get(sessionId);
    return access === undefined ? undefined : maySee(identity, access);
  }

  /** The same, read from Postgres. Waits while it is unavailable; throws RetryableError if too many wait. */
  async find(identity: Identity, sessionId: string, signal: AbortSignal): Promise<boolean> {
    const session = await this.#reads.run({
      what: "session owner",
      signal,
      read: async (manager) => findSession(manager, sessionId),
    });
    if (session === undefined) return false;
    const { owner_subject, teams } = session;
    this.#remembered.set(sessionId, { owner_subject, teams });
    return maySee(identity, session);
  }
}
