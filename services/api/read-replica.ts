import { LRUCache } from "lru-cache";
import type { Middleware } from "koa";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isDatabaseSlow } from "#shared/database/connection/database-slow.ts";
import { explainDatabaseError } from "#shared/database/connection/explain-database-error.ts";
import { Orm } from "#shared/database/connection/orm.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics, ReadSource } from "./api-metrics.ts";
import { callerOf, type Caller } from "./http/caller.ts";

type ReplicaMetrics = Pick<ApiMetrics, "replicaReads" | "replicaLag">;

const LIMITS = {
  /** The replica answers while it has everything that the primary had so long ago. */
  lagMs: 5_000,
  /** A credential that has written reads the primary for so long. */
  wroteMs: 10_000,
  /** Between two comparisons of the servers. */
  everyMs: 1_000,
  /** A replica that failed is left alone for so long. */
  restMs: 10_000,
};
/** More credentials than write in ten seconds. */
const MAX_WRITERS = 10_000;
/** Positions of the primary that a replica may still reach in time. */
const MAX_POSITIONS = 100;

const parsePosition = compileParser(
  "position of a server",
  Type.Object({
    server: Type.String(),
    is_standby: Type.Boolean(),
    position: Type.Union([Type.Integer(), Type.Null()]),
  }),
);
/** How far the log is written on a primary, or replayed on a standby, and of which database cluster it is. */
const READ_POSITION = `
SELECT (SELECT system_identifier FROM pg_control_system()) || ' ' || current_database() AS server, pg_is_in_recovery() AS is_standby,
  pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, '0/0')::bigint AS position`;

interface ReplicaParts {
  readonly url: string;
  readonly primary: Orm;
  readonly log: Logger;
  readonly metrics: ReplicaMetrics;
  readonly signal: AbortSignal;
  readonly limits?: Partial<typeof LIMITS>;
}

/**
 * A standby of the database for reads that may be some seconds old. How old it is follows from positions in the log: what the primary
 * had written when it was asked, and the standby has replayed since. So it is known without any clock of theirs, and for a standby
 * that receives nothing.
 */
export class ReadReplica implements AsyncDisposable {
  readonly #primary: Orm;
  readonly #replica: Orm;
  readonly #log: Logger;
  readonly #limits: typeof LIMITS;
  readonly #writers: LRUCache<string, true>;
  readonly #metrics: ReplicaMetrics;
  readonly #following: Promise<void>;
  #positions: { readonly at: number; readonly position: number }[] = [];
  /** By `performance.now()`: the replica has everything that was written until then. */
  #freshAt = -Infinity;
  #restsUntil = -Infinity;
  /** As the log has it. */
  #isUsed: boolean | undefined;

  constructor({ url, primary, log, metrics, signal, limits }: ReplicaParts) {
    this.#primary = primary;
    this.#log = log;
    this.#metrics = metrics;
    this.#limits = { ...LIMITS, ...limits };
    this.#writers = new LRUCache({ max: MAX_WRITERS, ttl: this.#limits.wroteMs });
    this.#replica = new Orm({
      url,
      applicationName: "tarsy-api-replica",
      poolSize: 4,
      queueTimeoutMs: 5_000,
      log,
      signal,
    });
    this.#following = this.#follow(signal);
  }

  /** Runs a read on the replica if that has what this caller has to see, else on the primary. Settles as `read` there. */
  async read<T>(caller: Caller, read: (from: Orm) => Promise<T>): Promise<T> {
    if (!this.#isFresh()) return this.#readPrimary("behind", read);
    if (this.#writers.has(writerOf(caller))) return this.#readPrimary("wrote", read);
    try {
      const result = await read(this.#replica);
      this.#metrics.replicaReads.inc({ source: "replica" });
      return result;
    } catch (error) {
      // The primary would not be faster.
      if (isDatabaseSlow(error)) throw error;
      this.#restsUntil = performance.now() + this.#limits.restMs;
      this.#note(false, explainDatabaseError(error));
      return this.#readPrimary("failed", read);
    }
  }

  /** Of a route that writes: lets its caller read the primary for a while, before it has the answer. */
  readonly noteWriter: Middleware = async (ctx, next) => {
    try {
      await next();
    } finally {
      this.noteWrite(callerOf(ctx));
    }
  };

  /** Lets a caller who has written read the primary for a while. */
  noteWrite(caller: Caller): void {
    this.#writers.set(writerOf(caller), true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#following;
    await this.#replica[Symbol.asyncDispose]();
  }

  #isFresh(): boolean {
    const now = performance.now();
    return now - this.#freshAt <= this.#limits.lagMs && now >= this.#restsUntil;
  }

  async #readPrimary<T>(source: ReadSource, read: (from: Orm) => Promise<T>): Promise<T> {
    this.#metrics.replicaReads.inc({ source });
    return read(this.#primary);
  }

  /** Until `signal` aborts: compares both servers. */
  async #follow(signal: AbortSignal): Promise<void> {
    for (let round = 1; !signal.aborted; round++) {
      const problem = await this.#compare().catch(explainDatabaseError);
      if (problem !== undefined) {
        this.#positions = [];
        this.#freshAt = -Infinity;
      }
      this.#metrics.replicaLag.set((performance.now() - this.#freshAt) / 1_000);
      // The first round learns what the replica must have reached in the second one.
      if (round > 1 && !signal.aborted) {
        this.#note(this.#isFresh(), problem ?? "it lags behind, or rests after a failure");
      }
      await pause(this.#limits.everyMs, signal).catch(() => undefined);
    }
  }

  /** Notes how far both servers are; returns why the replica cannot be used at all. */
  async #compare(): Promise<string | undefined> {
    const [standby] = await selectRows(this.#replica, parsePosition, READ_POSITION, []);
    const at = performance.now();
    const [primary] = await selectRows(this.#primary, parsePosition, READ_POSITION, []);
    const reached = standby?.position ?? -1;
    const position = primary?.position ?? Infinity;
    if (standby?.is_standby !== true) return "DATABASE_READ_URL does not lead to a standby";
    // A standby that was left behind by a failover may have what its new primary has not.
    if (standby.server !== primary?.server || reached > position) return "it is no replica of this primary";
    this.#positions = [...this.#positions, { at, position }].slice(-MAX_POSITIONS);
    const known = this.#positions.findLastIndex((one) => one.position <= reached);
    this.#freshAt = this.#positions[known]?.at ?? this.#freshAt;
    this.#positions = this.#positions.slice(Math.max(known, 0));
    return undefined;
  }

  /** Logs a change of where lists are read. */
  #note(isUsed: boolean, reason: string): void {
    if (isUsed === this.#isUsed) return;
    this.#isUsed = isUsed;
    if (isUsed) this.#log.info("lists are read from the replica of the database");
    else this.#log.warn({ reason }, "lists are read from the primary: the replica cannot be used");
  }
}

/** The same for each request of a credential. */
function writerOf({ identity: { via, subject, keyId } }: Caller): string {
  return JSON.stringify([via, subject, keyId]);
}

/** Runs a read that may be some seconds old, on the replica where there is one. */
export async function readLists<T>(
  { orm, replica }: { readonly orm: Orm; readonly replica?: ReadReplica | undefined },
  caller: Caller,
  read: (from: Orm) => Promise<T>,
): Promise<T> {
  return replica === undefined ? read(orm) : replica.read(caller, read);
}
