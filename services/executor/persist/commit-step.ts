import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { appendEvents, type TokenUsage } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CancelledError } from "#shared/errors.ts";
import type { OwnedSession } from "../owned-session.ts";

/** What a step's writes add to the session's log and sums. */
export interface StepRecord {
  readonly events: readonly SessionEventPayload[];
  readonly tokens?: TokenUsage | undefined;
}

/** Rolls the transaction back; never leaves this file. */
class FenceRefusedError extends Error {}

/**
 * Persists one step: `write` makes its rows, then the events are numbered and the fence is checked in the last
 * statement before COMMIT, all in one transaction. Afterwards the events go to the publisher. `finish` and
 * `close` are a session's last write; only `close` is let through after a cancel.
 *
 * Throws CancelledError `user` or `lease_lost` when the fence refused; then nothing was written and the session is
 * stopped. Throws what the database throws otherwise; whether that COMMIT took effect, the next owner reads in the rows.
 */
export async function commitStep(
  session: OwnedSession,
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
    await session.commits(async () => session.publisher.publish(await commit()));
  } catch (error) {
    if (!(error instanceof FenceRefusedError)) throw error;
    const reason = await whyRefused(session);
    session.stop(reason);
    throw reason;
  }
}

const parseFence = compileParser(
  "fence row",
  Type.Object({ ours: Type.Boolean(), cancelled: Type.Boolean() }),
);

async function whyRefused({ db, sessionId, epoch }: OwnedSession): Promise<CancelledError> {
  const [row] = await selectRows(
    db,
    parseFence,
    `SELECT lease_epoch = $2 AND lease_expires_at IS NOT NULL AS ours, cancel_requested_at IS NOT NULL AS cancelled
     FROM session_runtime WHERE session_id = $1`,
    [sessionId, epoch],
  );
  return row?.ours === true && row.cancelled
    ? new CancelledError("user", "cancelled by the user")
    : new CancelledError("lease_lost", "another executor took the session over");
}
