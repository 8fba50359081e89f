import { LRUCache } from "lru-cache";
import { maySee, seesAll, type SessionAccess } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { findSession, unknownSession } from "#shared/database/find-session.ts";
import { TerminalError } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { DatabaseReads } from "../feed/database-reads.ts";

const MAX_REMEMBERED = 10_000;

type Access = SessionAccess | undefined;

/** A read of a session's owner that any number of clients await. */
interface AccessReading {
  readonly access: Promise<Access>;
  /** Aborted when no client awaits it any more. */
  readonly stop: AbortController;
  waiting: number;
}

/** The sessions that a client may see. Owner and teams of a session never change, so they are remembered. */
export class VisibleSessions {
  readonly #reads: DatabaseReads;
  readonly #remembered = new LRUCache<string, SessionAccess>({ max: MAX_REMEMBERED });

  readonly #reading = new Map<string, AccessReading>();

  constructor(reads: DatabaseReads) {
    this.#reads = reads;
  }

  /** Throws TerminalError `unknown_session` if the client may not see the session, as for one that does not exist. */
  async check(identity: Identity, sessionId: string, signal: AbortSignal): Promise<void> {
    if (seesAll(identity)) return;
    const isVisible = this.remembered(identity, sessionId) ?? (await this.find(identity, sessionId, signal));
    if (!isVisible) throw unknownSession(sessionId);
  }

  /** True if the client may see the session; undefined if that has to be read. */
  remembered(identity: Identity, sessionId: string): boolean | undefined {
    const access = this.#remembered.get(sessionId);
    return access === undefined ? undefined : maySee(identity, access);
  }

  /**
   * The same, read from Postgres, once for all clients that ask at the same time. Waits while it is unavailable; throws
   * RetryableError if too many wait.
   */
  async find(identity: Identity, sessionId: string, signal: AbortSignal): Promise<boolean> {
    const reading = this.#reading.get(sessionId) ?? this.#read(sessionId);
    reading.waiting += 1;
    try {
      const access = await untilAborted(reading.access, signal);
      return access !== undefined && maySee(identity, access);
    } finally {
      reading.waiting -= 1;
      if (reading.waiting === 0) {
        reading.stop.abort(new TerminalError("unsubscribed", "no client asks for the session any more"));
        if (this.#reading.get(sessionId) === reading) this.#reading.delete(sessionId);
      }
    }
  }

  #read(sessionId: string): AccessReading {
    const stop = new AbortController();
    const read = this.#reads.run({
      what: "session owner",
      signal: stop.signal,
      read: async (manager) => findSession(manager, sessionId),
    });
    const access = read.then((session) => {
      if (session === undefined) return undefined;
      const { owner_subject, teams } = session;
      this.#remembered.set(sessionId, { owner_subject, teams });
      return { owner_subject, teams };
    });
    const reading = { access, stop, waiting: 0 };
    this.#reading.set(sessionId, reading);
    return reading;
  }
}
