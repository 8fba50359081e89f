import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Database } from "#shared/database/database.ts";
import { isDatabaseSlow } from "#shared/database/connection/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { coerceError } from "#shared/errors.ts";
import { RequestError } from "../http/request-error.ts";
import type { CommittedGroup, GroupedAlert, GroupedResult } from "./grouped-alert.ts";
import { KeyTakenError, writeGroup } from "./write-group.ts";

/** Groups that are written at a time: each may wait for another api's lock, and holds a connection meanwhile. */
const MAX_TRANSACTIONS = 4;
const MAX_ALERTS_PER_TRANSACTION = 100;
const MAX_TRIES = 5;
/** A request that waited longer is refused, as by the pool of connections. */
const QUEUE_TIMEOUT_MS = 5_000;

interface WaitingAlert {
  readonly alert: GroupedAlert;
  readonly since: number;
  readonly done: (result: GroupedResult) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Writes alerts that belong to groups. Those of one group that arrive while earlier ones are being committed share the next
 * transaction; a transaction has the alerts of one group, so it locks one group and one session, and cannot deadlock with another.
 */
export class GroupInserts {
  readonly #db: Database;
  readonly #onCommitted: (committed: CommittedGroup) => void;
  readonly #queueTimeoutMs: number;
  /** By group, in the order of the first that waits. */
  readonly #waiting = new Map<string, WaitingAlert[]>();
  readonly #busy = new Set<string>();

  /** `onCommitted` gets what is to be sent. */
  constructor(
    db: Database,
    onCommitted: (committed: CommittedGroup) => void,
    { queueTimeoutMs = QUEUE_TIMEOUT_MS } = {},
  ) {
    this.#db = db;
    this.#onCommitted = onCommitted;
    this.#queueTimeoutMs = queueTimeoutMs;
  }

  /**
   * Resolves once the alert is committed. Rejects with the conflict of its idempotency key, with the database's error, and with RequestError 503 if it has
   * waited for more than 5 s when its turn comes; it is then not stored, unless the connection broke during the commit.
   */
  async insert(alert: GroupedAlert): Promise<GroupedResult> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<GroupedResult>();
    const { key } = alert.group;
    const waiting = this.#waiting.get(key) ?? [];
    waiting.push({ alert, since: performance.now(), done, failed });
    this.#waiting.set(key, waiting);
    this.#start();
    return promise;
  }

  #start(): void {
    for (const key of this.#waiting.keys()) {
      if (this.#busy.size >= MAX_TRANSACTIONS) return;
      if (!this.#busy.has(key)) void this.#run(key);
    }
  }

  /** Writes one transaction's worth of a group. Never rejects. */
  async #run(key: string): Promise<void> {
    this.#busy.add(key);
    try {
      // Requests that arrived in the same turn of the event loop share the first transaction.
      await endOfTurn();
      await this.#write(this.#take(key));
    } finally {
      this.#busy.delete(key);
      this.#start();
    }
  }

  /**
   * The next alerts of a group: up to the first that says that it is over, after which the others are decided anew, and none with the
   * idempotency key of one before, which it repeats.
   */
  #take(key: string): WaitingAlert[] {
    const waiting = this.#waiting.get(key) ?? [];
    const oldest = performance.now() - this.#queueTimeoutMs;
    const keys = new Set<string>();
    let end = 0;
    for (const { alert } of waiting.slice(0, MAX_ALERTS_PER_TRANSACTION)) {
      if (alert.key !== undefined && keys.has(alert.key.key)) break;
      if (alert.key !== undefined) keys.add(alert.key.key);
      end += 1;
      if (alert.group.isResolved) break;
    }
    const taken = waiting.splice(0, end);
    // Behind the other groups that wait.
    this.#waiting.delete(key);
    if (waiting.length > 0) this.#waiting.set(key, waiting);
    for (const { since, failed } of taken) if (since < oldest) failed(tooLate());
    return taken.filter(({ since }) => since >= oldest);
  }

  /** Settles all of `waiting`. If Postgres refuses the transaction, each alert has one of its own: only the refused one fails. */
  async #write(waiting: readonly WaitingAlert[]): Promise<void> {
    if (waiting.length === 0) return;
    try {
      const { results, committed } = await this.#commit(waiting.map(({ alert }) => alert));
      this.#onCommitted(committed);
      waiting.forEach(({ done, failed }, index) => {
        const result = results[index];
        if (result === undefined || result instanceof Error) failed(result ?? new Error("no result"));
        else done(result);
      });
    } catch (thrown) {
      const error = coerceError(thrown);
      const isCommon = isDatabaseUnavailable(error) || isDatabaseSlow(error);
      if (waiting.length > 1 && !isCommon) for (const one of waiting) await this.#write([one]);
      else for (const { failed } of waiting) failed(error);
    }
  }

  async #commit(alerts: readonly GroupedAlert[]): ReturnType<typeof writeGroup> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#db.transaction(async (transaction) => writeGroup(transaction, alerts));
      } catch (error) {
        if (!(error instanceof KeyTakenError)) throw error;
        if (tries >= MAX_TRIES) {
          throw new RequestError(
            503,
            "the idempotency key changes hands all the time: try again in a moment",
            { retryAfterSeconds: 1 },
          );
        }
      }
    }
  }
}

function tooLate(): RequestError {
  return new RequestError(503, "the database takes too long: try again in a moment", {
    retryAfterSeconds: 1,
  });
}
