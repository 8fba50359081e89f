import type { IncomingMessage } from "node:http";
import { maySee } from "#shared/access/authorize.ts";
import { findSession, type FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { callerOf, type Caller } from "./caller.ts";
import { parseSessionId } from "./parse-parameters.ts";
import { hiddenSession, notFound } from "./request-error.ts";

interface SessionRequest {
  readonly req: IncomingMessage;
  readonly params: Readonly<Record<string, string | undefined>>;
}

interface FindOptions {
  /** As for `findSession`. */
  readonly lock?: boolean;
}

/** Finds the session of a route's `:id` for the caller, as `sessionFor` does. */
export async function visibleSession(
  db: Queryable,
  ctx: SessionRequest,
  options: FindOptions = {},
): Promise<FoundSession> {
  return sessionFor(db, callerOf(ctx), ctx.params["id"], options);
}

/**
 * Finds a session for a caller. Throws RequestError 400 for an id that is no UUID, and 404 alike for a session that does not exist and
 * one that the caller may not see.
 */
export async function sessionFor(
  db: Queryable,
  caller: Caller,
  id: string | undefined,
  options: FindOptions = {},
): Promise<FoundSession> {
  const sessionId = parseSessionId(id);
  caller.sessionId = sessionId;
  const session = await findSession(db, sessionId, options);
  if (session === undefined) throw notFound();
  if (!maySee(caller.identity, session)) throw hiddenSession();
  return session;
}
