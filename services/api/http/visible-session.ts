import type { IncomingMessage } from "node:http";
import { maySee } from "#shared/access/authorize.ts";
import { findSession, type FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { callerOf } from "./caller.ts";
import { parseSessionId } from "./parse-parameters.ts";
import { hiddenSession, notFound } from "./request-error.ts";

interface SessionRequest {
  readonly req: IncomingMessage;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the session of a route's `:id` for the caller; `lock` as for `findSession`. Throws RequestError 400 for an id that is
 * no UUID, and 404 alike for a session that does not exist and one that the caller may not see.
 */
export async function visibleSession(
  db: Queryable,
  ctx: SessionRequest,
  options: { readonly lock?: boolean } = {},
): Promise<FoundSession> {
  const sessionId = parseSessionId(ctx.params["id"]);
  const caller = callerOf(ctx);
  caller.sessionId = sessionId;
  const session = await findSession(db, sessionId, options);
  if (session === undefined) throw notFound();
  if (!maySee(caller.identity, session)) throw hiddenSession();
  return session;
}
