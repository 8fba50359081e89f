import type { IncomingMessage } from "node:http";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { enterPast } from "#shared/database/past/enter-past.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { AtSeqQuery } from "./common-schemas.ts";
import { queryReader } from "./query-reader.ts";
import { RequestError, validationError } from "./request-error.ts";
import { visibleSession } from "./visible-session.ts";

/** The code of the error about a number from before a fork began. */
const NO_PAST = "no_past";

interface ViewRequest {
  readonly req: IncomingMessage;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
}

const readQuery = queryReader(AtSeqQuery);

const parseOrigin = compileParser(
  "origin of a session",
  Type.Object({
    forked_from: Type.Union([Type.String(), Type.Null()]),
    forked_at_seq: Type.Union([Type.Integer(), Type.Null()]),
  }),
);
const READ_ORIGIN = "SELECT forked_from, forked_at_seq FROM alert_sessions WHERE session_id = $1";

/** The session that this one was forked from, null for none, and the number of its last event that both have. */
export async function readOrigin(
  db: Queryable,
  sessionId: string,
): Promise<{ readonly parent: string | null; readonly since: number }> {
  const [row] = await selectRows(db, parseOrigin, READ_ORIGIN, [sessionId]);
  return { parent: row?.forked_from ?? null, since: row?.forked_at_seq ?? 0 };
}

/**
 * Finds the session of a route's `:id` for the caller, as it is, and makes the transaction read it as it was at the query's `at_seq`, if
 * there is one. Throws RequestError as `visibleSession`, 400 for a number that is none of its events', and 409 for one from
 * before a fork began.
 */
export async function sessionAt(transaction: Queryable, ctx: ViewRequest): Promise<FoundSession> {
  const { at_seq: atSeq } = readQuery(ctx.query);
  const session = await visibleSession(transaction, ctx);
  if (atSeq === undefined) return session;
  checkMoment(session, atSeq);
  const { parent, since } = await readOrigin(transaction, session.session_id);
  if (parent !== null && atSeq < since) {
    throw new RequestError(
      409,
      `session ${session.session_id} is a fork that begins at ${since}: until then it is session ${parent}`,
      { code: NO_PAST },
    );
  }
  await enterPast(transaction, atSeq);
  return session;
}

/** Throws RequestError 400 unless the session has this event; 0 is before the first. */
export function checkMoment(
  { last_seq }: Pick<FoundSession, "last_seq">,
  seq: number,
  field = "at_seq",
): void {
  if (seq <= last_seq) return;
  throw validationError(
    field,
    `must be one whole number from 0 to ${last_seq}, which is the session's last event: got ${seq}`,
  );
}
