import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";
import { pastAt } from "#shared/database/past/enter-past.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError, validationError } from "../http/request-error.ts";
import { refuseImported } from "../sessions/imported-session.ts";
import { readOrigin } from "../http/session-at.ts";
import { readSteps } from "./read-steps.ts";

/** A moment of a session from which it is forked. */
export interface ForkPoint {
  /** The number of the last event that the fork has in common with its parent. */
  readonly atSeq: number;
  /** The quoted schema of the views that show the session at that moment, in this transaction. */
  readonly past: string;
}

const parseMoment = compileParser(
  "moment of a session",
  Type.Object({ last_seq: Type.Integer(), status: literals(SESSION_STATUSES) }),
);

/** The number of the last event that a fork has in common with its parent, else 0. Throws RequestError 409 if the events are gone, or the session was imported. */
export async function firstMoment(db: Queryable, session: FoundSession): Promise<number> {
  await refuseImported(db, session.session_id);
  if (session.purged) {
    throw new RequestError(
      409,
      "the events of this session have been deleted because it ended long ago: it cannot be forked",
    );
  }
  return (await readOrigin(db, session.session_id)).since;
}

/**
 * Finds the moment of a fork and shows it in the transaction's views of the past. `atSeq` is that of the last step if it is absent. Throws
 * RequestError 400 for a number that there is not, and 409 for one that is no step's end of the investigation.
 */
export async function findForkPoint(
  transaction: Queryable,
  session: FoundSession,
  atSeq: number | undefined,
): Promise<ForkPoint> {
  const { session_id: id, last_seq: last } = session;
  const since = await firstMoment(transaction, session);
  if (atSeq !== undefined && atSeq > last) {
    throw validationError(
      "at_seq",
      `must be a number from ${since} to ${last}, which is the newest event, got ${atSeq}`,
    );
  }
  if (atSeq !== undefined && atSeq < since) {
    throw new RequestError(
      409,
      `at_seq: this session is a fork, and its own steps begin after ${since}: fork the session that it comes from`,
    );
  }
  const steps = atSeq === undefined ? await readSteps(transaction, id) : [];
  const chosen = atSeq ?? Math.max(since, steps.at(-1)?.at_seq ?? 0);
  const past = await pastAt(transaction, chosen);
  const [moment] = await selectRows(
    transaction,
    parseMoment,
    `SELECT r.last_seq, s.status FROM ${past}.session_runtime r JOIN ${past}.alert_sessions s USING (session_id) WHERE r.session_id = $1`,
    [id],
  );
  if (moment === undefined || moment.last_seq !== chosen) {
    throw new RequestError(
      409,
      `at_seq: ${chosen} is not the end of a step${await nearest(transaction, id, chosen)}`,
    );
  }
  if (isTerminal(moment.status)) {
    throw new RequestError(
      409,
      `at_seq: the investigation had ended at ${chosen}: what follows its end cannot be forked${await nearest(transaction, id, chosen)}`,
    );
  }
  return { atSeq: chosen, past };
}

/** The newest moment before this event, in which the session was the same until then. */
export async function momentBefore(transaction: Queryable, sessionId: string, seq: number): Promise<number> {
  const past = await pastAt(transaction, seq - 1);
  const [row] = await selectRows(
    transaction,
    compileLast,
    `SELECT last_seq FROM ${past}.session_runtime WHERE session_id = $1`,
    [sessionId],
  );
  return row?.last_seq ?? 0;
}
const compileLast = compileParser("newest event", Type.Object({ last_seq: Type.Integer() }));

async function nearest(transaction: Queryable, sessionId: string, seq: number): Promise<string> {
  const ends = (await readSteps(transaction, sessionId)).map(({ at_seq }) => at_seq);
  const before = ends.findLast((end) => end < seq);
  const after = ends.find((end) => end > seq);
  const near = [before, after].filter((end) => end !== undefined);
  return near.length === 0 ? "" : `; the nearest ends of steps are ${near.join(" and ")}`;
}
