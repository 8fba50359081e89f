import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { pause } from "#shared/pause.ts";

/** Slack takes about one message a second in a channel; requests take different times. */
const APART = "interval '1100 milliseconds'";

const RESERVE = `
WITH reserved AS (
  INSERT INTO slack_channels AS c (channel, next_at) VALUES ($1, clock_timestamp() + ${APART})
  ON CONFLICT (channel) DO UPDATE SET next_at = greatest(c.next_at, clock_timestamp()) + ${APART} RETURNING next_at
)
SELECT greatest(0, extract(epoch FROM next_at - ${APART} - clock_timestamp()) * 1000)::float8 AS wait_ms FROM reserved`;
const TAKE = `
WITH taken AS (
  INSERT INTO slack_channels AS c (channel, next_at) VALUES ($1, clock_timestamp() + ${APART})
  ON CONFLICT (channel) DO UPDATE SET next_at = clock_timestamp() + ${APART} WHERE c.next_at <= clock_timestamp() RETURNING 1
)
SELECT 0::float8 AS wait_ms FROM taken`;
const parseWait = compileParser("place in a channel", Type.Object({ wait_ms: Type.Number() }));

/** Waits for the channel's next place: for what must be said. */
export async function awaitSlot(db: Queryable, channel: string, signal: AbortSignal): Promise<void> {
  const [reserved] = await selectRows(db, parseWait, RESERVE, [channel]);
  await pause(reserved?.wait_ms ?? 0, signal);
}

/** Takes the channel's place if it is free now: for what a later edit replaces. */
export async function takeSlot(db: Queryable, channel: string): Promise<boolean> {
  return (await selectRows(db, parseWait, TAKE, [channel])).length > 0;
}

/** Keeps all apis from writing to the channel, because Slack asked for it. */
export async function holdChannel(db: Queryable, channel: string, ms: number): Promise<void> {
  await db.query(
    `INSERT INTO slack_channels AS c (channel, next_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
     ON CONFLICT (channel) DO UPDATE SET next_at = greatest(c.next_at, excluded.next_at)`,
    [channel, ms / 1_000],
  );
}
