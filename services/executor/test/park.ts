import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ParkedBy } from "#shared/contracts/statuses.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";

const parseInbox = compileParser("inbox", Type.Object({ inbox_seq: Type.Integer() }));

/** Asks a session to park as the api does; its owner hears of it only with `isTold`. */
export async function askToPark(
  executor: ExecutorFixture,
  id: string,
  { by = "priority", isTold = true }: { readonly by?: ParkedBy; readonly isTold?: boolean } = {},
): Promise<void> {
  const [row] = await executor.query(
    `UPDATE session_runtime SET park_requested_at = now(), park_by = $2, park_reason = 'why', inbox_seq = inbox_seq + 1,
       park_until = CASE WHEN $2 = 'operator' THEN now() + interval '7 days' END
     WHERE session_id = $1 RETURNING inbox_seq`,
    [id, by],
  );
  if (isTold) executor.deps.leases.find(id)?.noticeInbox(parseInbox(row).inbox_seq);
}

/** Moves the time at which a session was parked, as if it had waited for so long. */
export async function wasParkedFor(executor: ExecutorFixture, id: string, hours: number): Promise<void> {
  await executor.query(
    "UPDATE session_runtime SET parked_at = parked_at - make_interval(hours => $2) WHERE session_id = $1",
    [id, hours],
  );
}

/** Lets a session that a person has parked go on, as the api does; nothing changes for one that is not parked. */
export async function resume(executor: ExecutorFixture, id: string): Promise<void> {
  await executor.query(
    "UPDATE session_runtime SET park_until = NULL, inbox_seq = inbox_seq + 1 WHERE session_id = $1 AND parked_at IS NOT NULL",
    [id],
  );
}
