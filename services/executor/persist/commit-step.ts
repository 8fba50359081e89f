import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { appendEvents, type TokenUsage } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { cancelledByUser, leaseLost, type CancelledError } from "#shared/errors.ts";
import type { SessionWriter } from "./session-writer.ts";

/** What a step adds to the session's event log and token sums. */
interface StepRecord {
  readonly events: readonly UnstampedPayload[];
  readonly tokens?: TokenUsage | undefined;
}

/** Rolls the transaction back; caught in this file. */
class FenceRefusedError extends Error {}

/**
 * Commits one step: `write` writes its rows, then the last statement before COMMIT numbers the events and checks the
 * fence, all in one transaction. Afterwards the events go to the publisher. `finish` and `close` are a session's last
 * write; after a cancel the fence lets only `close` through.
 *
 * Throws CancelledError `user` or `lease_lost` if the fence refused; then nothing was written and the session is
 * stopped. Rethrows database errors; if the reply to COMMIT was lost, the next owner finds out from the rows.
 */
export async function commitStep(
  session: SessionWriter,
  write: (manager: EntityManager) => Promise<StepRecord>,
  kind: "step" | "finish" | "close" = "step",
): Promise<void> {
  const { db, sessionId, epoch } = session;
  const commit = () =>
    db.transaction(async (manager) => {
      const { events, tokens } = await write(manager);
      const writer = { kind: "owner", epoch, write: kind } as const;
      const numbered = await appendEvents(manager, sessionId, writer, events, tokens);
      if (numbered === null) throw new FenceRefusedError();
      return numbered;
    });
  try {
    await session.commitMutex(async () => session.publisher.publish(await commit()));
  } catch (error) {
    if (!(error instanceof FenceRefusedError)) throw error;
    const reason = await refusalReason(session);
    session.stop(reason);
    throw reason;
  }
}

const parseFence = compileParser(
  "fence row",
  Type.Object({ ours: Type.Boolean(), cancelled: Type.Boolean() }),
);

async function refusalReason({ db, sessionId, epoch }: SessionWriter): Promise<CancelledError> {
  const [row] = await selectRows(
    db,
    parseFence,
    `SELECT lease_epoch = $2 AND lease_expires_at IS NOT NULL AS ours, cancel_requested_at IS NOT NULL AS cancelled
     FROM session_runtime WHERE session_id = $1`,
    [sessionId, epoch],
  );
  return row?.ours === true && row.cancelled ? cancelledByUser() : leaseLost();
}
