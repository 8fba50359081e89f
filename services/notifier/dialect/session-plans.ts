import { isNull } from "#shared/database/connection/statement-limits.ts";
import { LRUCache } from "lru-cache";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { unknownSession } from "#shared/database/find-session.ts";
import { configOf } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { DatabaseReads } from "../feed/database-reads.ts";
import { numberPlan, parsePlannedStages, type PlanNumbering } from "./plan-numbering.ts";

const MAX_REMEMBERED = 10_000;

const parseRow = compileParser("stages of a session", Type.Object({ stages: Type.Unknown() }));

/** The numbering of the stages of sessions. A session's chain never changes, so it is remembered. */
export class SessionPlans {
  readonly #reads: DatabaseReads;
  readonly #remembered = new LRUCache<string, PlanNumbering>({ max: MAX_REMEMBERED });
  readonly #reading = new Map<string, Promise<PlanNumbering>>();
  /** Reads are shared, so that none ends with the client that asked first. */
  readonly #never = new AbortController().signal;

  constructor(reads: DatabaseReads) {
    this.#reads = reads;
  }

  /** The numbering, if it was read before. */
  remembered(sessionId: string): PlanNumbering | undefined {
    return this.#remembered.get(sessionId);
  }

  /**
   * Reads the numbering, once for all that ask at the same time. Waits while Postgres is unavailable; throws RetryableError if
   * too many wait, TerminalError `unknown_session`, or the signal's reason.
   */
  async find(sessionId: string, signal: AbortSignal): Promise<PlanNumbering> {
    const known = this.remembered(sessionId);
    if (known !== undefined) return known;
    const reading = this.#reading.get(sessionId) ?? this.#read(sessionId);
    return untilAborted(reading, signal);
  }

  #read(sessionId: string): Promise<PlanNumbering> {
    const sql = `SELECT coalesce(${configOf("s")}->'stages', '[]') AS stages FROM alert_sessions s WHERE session_id = $1 AND ${isNull("deleted_at")}`;
    const reading = this.#reads
      .run({
        what: "session plan",
        signal: this.#never,
        read: async (manager) => selectRows(manager, parseRow, sql, [sessionId]),
      })
      .then(([row]) => {
        if (row === undefined) throw unknownSession(sessionId);
        const numbering = numberPlan(sessionId, parsePlannedStages(row.stages));
        this.#remembered.set(sessionId, numbering);
        return numbering;
      });
    const forget = () => void this.#reading.delete(sessionId);
    reading.then(forget, forget);
    this.#reading.set(sessionId, reading);
    return reading;
  }
}
