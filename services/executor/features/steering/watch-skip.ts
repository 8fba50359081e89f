import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { SteeringMessage, UNREAD_STEERING } from "../../state/steering.ts";
import { SkippedError } from "../../tools/tool-outcome.ts";

const parse = compileParser("unread messages", Type.Object({ steering: Type.Array(SteeringMessage) }));

const READ = `SELECT ${UNREAD_STEERING} AS steering FROM agent_executions e WHERE e.execution_id = $1`;

/** Watches for a person's wish to go on without a call. */
interface SkipWatch extends Disposable {
  /** Aborts with a SkippedError. */
  readonly signal: AbortSignal;
}

/** One for all: an abort without a reason makes an error with its stack, for each call. */
const ENDED = new Error("the call has ended");

/**
 * Watches for messages that skip the call with this row in the timeline, until it is disposed. One that came before, perhaps to a
 * former owner, counts at once. While the database cannot be read, the call goes on.
 */
export function watchSkip({ session, execution, state, steps }: ExecutionRun, eventId: string): SkipWatch {
  const skipped = new AbortController();
  const over = new AbortController();
  const isMeant = (messages: readonly SteeringMessage[]) =>
    messages.some(({ mode, calls }) => mode === "skip_tool" && calls.includes(eventId));
  const watch = async (): Promise<void> => {
    for (let seen = steps.memory.inboxSeq; !over.signal.aborted;) {
      await session.inbox.untilNewerThan(seen, over.signal);
      seen = session.inbox.newest;
      const [row] = await selectRows(session.db, parse, READ, [execution.execution_id]);
      if (row !== undefined && isMeant(row.steering)) return skipped.abort(new SkippedError());
    }
  };
  if (isMeant(state.steering)) skipped.abort(new SkippedError());
  else {
    watch().catch((error: unknown) => {
      if (over.signal.aborted) return;
      session.log.warn({ error: errorMessage(error) }, "skip of a tool call not read");
    });
  }
  return { signal: skipped.signal, [Symbol.dispose]: () => over.abort(ENDED) };
}
