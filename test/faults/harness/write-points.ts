import { isCommit, type StatementWatch } from "../../support/postgres-tap.ts";

/** A write of a session, counted from 1: right before it reaches Postgres, or once it is durable and not answered. */
export interface WritePoint {
  readonly write: number;
  readonly when: "before" | "after";
}

interface Watched {
  readonly point: WritePoint | undefined;
  writes: number;
}

const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu;
const RELEASE = /UPDATE session_runtime SET lease_expires_at = NULL/u;
const COMMIT = /\bCOMMIT\b/u;
const HEAD_CHARS = 64;

/**
 * Stops each session at a write of its own and leaves all others running, so that one kill of the executor meets every
 * session at its point.
 */
export class WritePoints {
  readonly #watched = new Map<string, Watched>();
  readonly #reached = new Set<string>();
  #paused: PromiseWithResolvers<void> | undefined;

  /** The sessions that are at their point. */
  get reached(): ReadonlySet<string> {
    return this.#reached;
  }

  /** The writes of a session since it was watched. */
  writesOf(sessionId: string): number {
    return this.#watched.get(sessionId)?.writes ?? 0;
  }

  /** Lets no executor write until `resume`, so that sessions can be watched before their first write. */
  pause(): void {
    this.#paused ??= Promise.withResolvers();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  /** Counts the writes of a session from now on, and stops it at its point, if it has one. */
  watchSession(sessionId: string, point?: WritePoint): void {
    this.#watched.set(sessionId, { point, writes: 0 });
  }

  /** Stops no session any more: the next owners go on. */
  release(): void {
    this.#watched.clear();
  }

  /** For one connection of an executor to Postgres. */
  watch(): StatementWatch {
    let current: { readonly sessionId: string; readonly point: WritePoint | undefined } | undefined;
    /** Counts the write; true if it is the point of its session, which is reached before it. */
    const isDue = (texts: readonly string[]) => {
      current = this.#count(texts);
      if (current?.point?.when !== "before") return false;
      this.#reached.add(current.sessionId);
      return true;
    };
    return {
      asked: (sql, transaction) => {
        current = undefined;
        if (!isCommit(sql) && !RELEASE.test(sql)) return "forward";
        // A statement that is a transaction of its own follows others on its connection.
        const texts = COMMIT.test(sql.slice(0, HEAD_CHARS)) ? [...transaction, sql] : [sql];
        if (this.#paused === undefined) return isDue(texts) ? "hold" : "forward";
        // What is held here waits for the kill that ends its connection.
        const after = this.#paused.promise.then(async () =>
          isDue(texts) ? new Promise<void>(() => undefined) : undefined,
        );
        return { after };
      },
      answered: () => {
        if (current?.point?.when !== "after") return "forward";
        this.#reached.add(current.sessionId);
        return "hold";
      },
    };
  }

  /** The session that is written to, with its point if this write is the one. */
  #count(texts: readonly string[]): { sessionId: string; point: WritePoint | undefined } | undefined {
    for (const text of texts) {
      for (const [id] of text.matchAll(ID)) {
        const watched = this.#watched.get(id);
        if (watched === undefined) continue;
        watched.writes += 1;
        const isPoint = watched.point?.write === watched.writes;
        return { sessionId: id, point: isPoint ? watched.point : undefined };
      }
    }
    return undefined;
  }
}
