import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import type { GroupOfAlert } from "./group-of-alert.ts";
import type { GroupPhase } from "./decide-alert.ts";

/** Inserts the row of the group or locks it; the window is that of the newest configuration. */
const LOCK = `
WITH locked AS (
  INSERT INTO alert_groups (group_key, chain_id, window_ms) VALUES ($1, $2, $3)
  ON CONFLICT (group_key) DO UPDATE SET window_ms = excluded.window_ms
  RETURNING session_id
)
SELECT session_id FROM locked`;
const parseLocked = compileParser(
  "locked group",
  Type.Object({ session_id: Type.Union([Uuid, Type.Null()]) }),
);

/** A statement of its own, after the lock: it sees what the holder before has committed. */
const READ = `
SELECT g.session_id, g.count, g.bytes::float8 AS bytes, g.reopened, g.is_cancelled,
  g.announced_at IS NULL OR g.announced_at < clock_timestamp() - interval '5 s' AS is_announcement_due,
  s.status, s.owner_subject, coalesce(s.teams, '{}') AS teams, s.deleted_at IS NOT NULL AS is_deleted,
  coalesce(s.completed_at < clock_timestamp() - make_interval(secs => g.window_ms / 1000.0), false) AS is_over
FROM alert_groups g LEFT JOIN alert_sessions s USING (session_id) WHERE g.group_key = $1`;
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const Stored = Type.Object({
  session_id: Type.Union([Uuid, Type.Null()]),
  count: Type.Integer(),
  bytes: Type.Number(),
  reopened: Type.Integer(),
  is_cancelled: Type.Boolean(),
  is_announcement_due: Type.Boolean(),
  status: Type.Union([literals(SESSION_STATUSES), Type.Null()]),
  owner_subject: TextOrNull,
  teams: Type.Array(Type.String()),
  is_deleted: Type.Boolean(),
  is_over: Type.Boolean(),
});
const parseStored = compileParser("group", Stored);

/** A group under the lock of its row. */
export interface StoredGroup {
  /** Null before the first session. */
  readonly sessionId: string | null;
  readonly phase: GroupPhase;
  /** The alerts of the session so far. */
  readonly count: number;
  /** The bytes of the texts that are stored of them. */
  readonly bytes: number;
  readonly reopened: number;
  /** No event has said for a while that alerts join. */
  readonly isAnnouncementDue: boolean;
  readonly owner_subject: string | null;
  readonly teams: readonly string[];
}

const NEW_GROUP: StoredGroup = {
  sessionId: null,
  phase: "none",
  count: 0,
  bytes: 0,
  reopened: 0,
  isAnnouncementDue: true,
  owner_subject: null,
  teams: [],
};

/** Locks the row of a group until the transaction ends, inserts it if there is none, and reads it with its session. */
export async function lockGroup(
  transaction: Queryable,
  { key, chainId, rule }: Pick<GroupOfAlert, "key" | "chainId" | "rule">,
): Promise<StoredGroup> {
  const [locked] = await selectRows(transaction, parseLocked, LOCK, [key, chainId, rule.windowMs]);
  if (locked?.session_id === null) return NEW_GROUP;
  const [row] = await selectRows(transaction, parseStored, READ, [key]);
  if (row === undefined) throw new Error("the group was removed under its lock");
  return {
    sessionId: row.session_id,
    phase: phaseOf(row),
    count: row.count,
    bytes: row.bytes,
    reopened: row.reopened,
    isAnnouncementDue: row.is_announcement_due,
    owner_subject: row.owner_subject,
    teams: row.teams,
  };
}

/** A session that an alert has cancelled takes no other one: what fires again would not be investigated. */
function phaseOf({
  session_id,
  status,
  is_deleted,
  is_over,
  is_cancelled,
}: Static<typeof Stored>): GroupPhase {
  if (session_id === null || status === null) return "none";
  if (is_deleted || is_over || is_cancelled) return "over";
  return isTerminal(status) || status === "cancelling" ? "late" : "running";
}
