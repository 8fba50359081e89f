import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { ActiveSession, QueuedSession } from "./list-schemas.ts";
import { STAGE_FACTS, StageFacts, UNFINISHED_COLUMNS, selectList } from "./session-item-columns.ts";
import { shownStageId } from "./shown-stage-id.ts";
import { SqlParameters } from "./sql-parameters.ts";
import { visibleTo } from "./visible-to.ts";

/** More than run at a time; of a longer queue the rest is left out. */
const MAX_ROWS = 1_000;

const FROM = "FROM alert_sessions s JOIN session_runtime r USING (session_id)";

const parseActive = compileParser(
  "active session",
  Type.Object({ ...ActiveSession.properties, ...StageFacts.properties }),
);

/** The running sessions that the caller may see, those that began first first; at most 1,000. */
export async function readActive(db: Queryable, identity: Identity): Promise<Static<typeof ActiveSession>[]> {
  const parameters = new SqlParameters();
  const rows = await selectRows(
    db,
    parseActive,
    `SELECT ${selectList({ ...UNFINISHED_COLUMNS, ...STAGE_FACTS })} ${FROM}
     WHERE s.status IN ('in_progress', 'cancelling') AND ${visibleTo(identity, parameters)}
     ORDER BY s.started_at, s.session_id LIMIT ${parameters.add(MAX_ROWS)}`,
    parameters.values,
  );
  return rows.map(({ has_summary, has_synthesis, ...session }) => ({
    ...session,
    current_stage_id: shownStageId({ ...session, has_summary, has_synthesis }),
  }));
}

const parseQueued = compileParser("queued session", QueuedSession);

const RANK = `array_position(ARRAY[${SESSION_LANES.map((lane) => `'${lane}'`).join(", ")}], lane)`;

/** The waiting sessions that the caller may see, by lane, each oldest first, at most 1,000; positions count all that wait. */
export async function readQueued(db: Queryable, identity: Identity): Promise<Static<typeof QueuedSession>[]> {
  const parameters = new SqlParameters();
  const {
    started_at: _at,
    current_stage_index: _index,
    current_stage_id: _id,
    ...columns
  } = UNFINISHED_COLUMNS;
  return selectRows(
    db,
    parseQueued,
    `SELECT ${selectList(columns)}, s.lane, s.queue_position
     FROM (SELECT *, row_number() OVER (ORDER BY ${RANK}, created_at, session_id)::int AS queue_position
           FROM alert_sessions WHERE status = 'pending' AND deleted_at IS NULL) s
     WHERE ${visibleTo(identity, parameters)}
     ORDER BY s.queue_position LIMIT ${parameters.add(MAX_ROWS)}`,
    parameters.values,
  );
}
