import { RateLimit } from "#shared/access/rate-limit.ts";
import type { Identity } from "#shared/access/identity.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { errorMessage } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import type { Logger } from "#shared/service/logger.ts";

/** One action, done or refused. */
export interface AuditEntry {
  /** Such as `alert.submit`. */
  readonly action: string;
  /** Such as `allowed`, `refused` or the status of what was started. */
  readonly result: string;
  /** Absent if the caller was not authenticated. */
  readonly identity?:
    | { readonly subject: string; readonly via: Identity["via"] | "agent" | "mcp" }
    | undefined;
  readonly peer?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

interface WaitingRow {
  readonly row: object;
  readonly done: () => void;
}

const NOBODY = "nobody";
const MAX_PER_INSERT = 500;
const MAX_WAITING = 10_000;
const RETRY_MS = 1_000;
/** Disposal waits this long for the rows that are still to be written. */
const LAST_WRITE_MS = 3_000;
/** Refusals of one peer that are recorded: endless refusals must fill neither table nor disk. */
const REFUSALS = { perSecond: 1, burst: 100 };

const INSERT = `
INSERT INTO audit_log (at, service, subject, via, peer, action, session_id, result, detail)
SELECT at, service, subject, via, peer, action, session_id, result, detail
FROM json_to_recordset($1::json) AS entry (at timestamptz, service text, subject text, via text, peer text,
  action text, session_id uuid, result text, detail jsonb)`;

/**
 * The audit log of one service: each entry is a log line at once and a row of `audit_log` soon. Rows are written together in
 * the background; while Postgres is away they wait, at most 10,000. A process that is killed loses the rows of its last
 * moments, not the lines.
 */
export class AuditLog implements AsyncDisposable {
  readonly #db: Queryable;
  readonly #log: Logger;
  readonly #entries: Logger;
  readonly #service: string;
  readonly #waiting: WaitingRow[] = [];
  readonly #stopping = new AbortController();
  readonly #refusals = new RateLimit(REFUSALS);
  #writing: Promise<void> | undefined;
  #unwritten = 0;

  constructor({
    db,
    log,
    service,
  }: {
    readonly db: Queryable;
    readonly log: Logger;
    readonly service: string;
  }) {
    this.#db = db;
    this.#log = log;
    // Entries are logged at every log level.
    this.#entries = log.child({ audit: true }, log.level === "silent" ? {} : { level: "info" });
    this.#service = service;
  }

  /** Logs an entry whose row the caller writes. */
  logOnly({ identity, action, peer, sessionId, result, detail }: AuditEntry): void {
    const who = { subject: identity?.subject ?? NOBODY, via: identity?.via ?? "none", peer };
    this.#entries.info({ ...who, action, session_id: sessionId, result, ...detail }, "audit");
  }

  /** Records an entry in the background. */
  record(entry: AuditEntry): void {
    void this.recorded(entry);
  }

  /** Records an entry and resolves once its row is committed or given up. Never rejects. */
  async recorded(entry: AuditEntry): Promise<void> {
    const { identity, peer, action, sessionId, result, detail } = entry;
    if (result === "refused" && this.#refusals.take(peer ?? "unknown") > 0) return;
    this.logOnly(entry);
    if (this.#waiting.length >= MAX_WAITING) {
      this.#unwritten += 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const row = {
      at: new Date(),
      service: this.#service,
      subject: identity?.subject ?? NOBODY,
      via: identity?.via ?? "none",
      peer,
      action,
      session_id: sessionId,
      result,
      detail,
    };
    this.#waiting.push({ row, done: resolve });
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const late = setTimeout(() => this.#stopping.abort(), LAST_WRITE_MS);
    await this.#writing;
    clearTimeout(late);
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_PER_INSERT);
      try {
        await this.#db.query(INSERT, [postgresSafeJson(batch.map(({ row }) => row))]);
      } catch (error) {
        this.#log.warn({ error: errorMessage(error) }, "audit rows not written: repeating");
        const isStopping = await pause(RETRY_MS, this.#stopping.signal).then(
          () => false,
          () => true,
        );
        if (!isStopping) continue;
        this.#unwritten += this.#waiting.length;
        batch.push(...this.#waiting.slice(MAX_PER_INSERT));
      }
      this.#waiting.splice(0, batch.length);
      for (const { done } of batch) done();
    }
    if (this.#unwritten > 0) {
      this.#log.error({ rows: this.#unwritten }, "audit rows lost: see the log lines");
      this.#unwritten = 0;
    }
  }
}
