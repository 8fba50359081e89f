import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { findSession } from "#shared/database/find-session.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { DatabaseReads } from "./database-reads.ts";
import type { Queryable } from "#shared/database/queryable.ts";

interface CursorReadsOptions {
  readonly reads: DatabaseReads;
  readonly sessionId: string;
  /** Ends every read. */
  readonly signal: AbortSignal;
}

/**
 * Reads of positions in one session's events. A read is shared by all that ask for the same before it starts; one
 * that has started may not see what the client has already received from another notifier.
 */
export class CursorReads {
  readonly #options: CursorReadsOptions;
  readonly #queued = new Map<string, Promise<number>>();

  constructor(options: CursorReadsOptions) {
    this.#options = options;
  }

  /** The session's newest `seq`; 0 if there is none, or no session. */
  async lastSeq(signal: AbortSignal): Promise<number> {
    const { sessionId } = this.#options;
    return this.#share("newest", signal, async (manager) => {
      return (await findSession(manager, sessionId))?.last_seq ?? 0;
    });
  }

  /** True if there is such a session, and it is not deleted. */
  async exists(signal: AbortSignal): Promise<boolean> {
    const { sessionId } = this.#options;
    const count = await this.#share("exists", signal, async (manager) => {
      return (await findSession(manager, sessionId)) === undefined ? 0 : 1;
    });
    return count === 1;
  }

  /** The `seq` of the session's newest event whose `db_event_id` is at most `id`; 0 if there is none. */
  async seqAt(id: number, signal: AbortSignal): Promise<number> {
    return this.#share(String(id), signal, async (manager) =>
      readSeqAt(manager, this.#options.sessionId, id),
    );
  }

  /** Whether the session's event `seq` has another `db_event_id` than `id`. */
  async hasOther(seq: number, id: number, signal: AbortSignal): Promise<boolean> {
    const { sessionId } = this.#options;
    const count = await this.#share(`${seq} ${id}`, signal, async (manager) => {
      const [row] = await selectRows(manager, parseSeqRow, OTHER, [sessionId, seq, id]);
      return row?.seq ?? 0;
    });
    return count > 0;
  }

  async #share(
    key: string,
    signal: AbortSignal,
    read: (manager: Queryable) => Promise<number>,
  ): Promise<number> {
    const queued = this.#queued.get(key) ?? this.#start(key, read);
    return untilAborted(queued, signal);
  }

  #start(key: string, read: (manager: Queryable) => Promise<number>): Promise<number> {
    const { reads, signal } = this.#options;
    const forget = () => {
      if (this.#queued.get(key) === result) this.#queued.delete(key);
    };
    const result = reads.run({
      what: "cursor",
      signal,
      read: async (manager) => {
        forget();
        return read(manager);
      },
    });
    this.#queued.set(key, result);
    result.then(forget, forget);
    return result;
  }
}

const parseSeqRow = compileParser("seq row", Type.Object({ seq: Type.Integer() }));

const OTHER = "SELECT count(*)::int AS seq FROM events WHERE session_id = $1 AND seq = $2 AND id <> $3";

async function readSeqAt(manager: Queryable, sessionId: string, id: number): Promise<number> {
  // Ids ascend with seq within a session, because both are assigned under the session's row lock.
  const [row] = await selectRows(
    manager,
    parseSeqRow,
    "SELECT coalesce(max(seq), 0) AS seq FROM events WHERE session_id = $1 AND id <= $2",
    [sessionId, id],
  );
  return row?.seq ?? 0;
}
