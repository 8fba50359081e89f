import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/**
 * The newest known entry of a session's inbox, whose number rises when others write something that the owner waits for.
 * Messages on the bus, commits of the owner and renewals of its lease report it.
 */
export class InboxWatch {
  #newest = -1;
  readonly #listeners = new Set<() => void>();

  /** The newest entry that is known of; -1 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Tells that `seq` is the inbox's newest entry. */
  notice(seq: number): void {
    if (seq <= this.#newest) return;
    this.#newest = seq;
    for (const listener of this.#listeners) listener();
  }

  /** Resolves once the inbox has an entry that is newer than `seq`; rejects with the signal's reason. */
  async untilNewerThan(seq: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    const onNotice = () => {
      if (this.#newest > seq) resolve();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#listeners.add(onNotice);
    onNotice();
    try {
      await promise;
    } finally {
      this.#listeners.delete(onNotice);
      signal.removeEventListener("abort", onAbort);
    }
  }
}

const parse = compileParser("inbox", Type.Object({ inbox_seq: Type.Integer() }));

/** The newest entry of the session's inbox, as committed now. */
export async function readInboxSeq(db: Queryable, sessionId: string): Promise<number> {
  const sql = "SELECT inbox_seq FROM session_runtime WHERE session_id = $1";
  const [row] = await selectRows(db, parse, sql, [sessionId]);
  return row?.inbox_seq ?? 0;
}
