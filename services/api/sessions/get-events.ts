import type { Readable } from "node:stream";
import type { RouterContext } from "@koa/router";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";
import { EVENTS_LOST, EVENTS_PURGED, eventsPurged } from "#shared/database/events-purged.ts";
import { isContiguous, readEvents } from "#shared/database/read-events.ts";
import type { ApiDeps } from "../api-deps.ts";
import { parseSessionId, parseWholeNumber } from "../http/parse-parameters.ts";
import { callerOf } from "../http/caller.ts";
import { queryReader } from "../http/query-reader.ts";
import { RequestError, abbreviate, validationError } from "../http/request-error.ts";
import { EventsQuery } from "./contract.ts";
import { checkMoment } from "../http/session-at.ts";
import { visibleSession } from "../http/visible-session.ts";
import { sseStream } from "../sse/sse-stream.ts";
import { closedWith, streamAnswer } from "../sse/stream-answer.ts";

const readQuery = queryReader(EventsQuery);
/** Of a resumed stream. */
const SEQ = { fallback: 0, min: 0, max: 2_147_483_647 };
/** Without it, a page of 1,000 events with large contents could be a gigabyte. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * `GET /api/v1/sessions/:id/events`: a page of the stored events after `after_seq` and up to `until_seq`, ascending, exactly as on the
 * WebSocket. With `Accept: text/event-stream` all of them and then the live events, until the session is over.
 */
export function getEvents(deps: ApiDeps) {
  return async (ctx: RouterContext) => {
    ctx.vary("accept");
    const sessionId = parseSessionId(ctx.params["id"]);
    if (ctx.accepts("application/json", "text/event-stream") === "text/event-stream") {
      return answerSse(deps, ctx, sessionId);
    }
    const { after_seq: afterSeq, until_seq: untilSeq, limit } = readQuery(ctx.query);
    // It begins a stream, not a page; one that no event can have is a client's mistake all the same.
    const lastEventId = ctx.get("last-event-id");
    if (lastEventId !== "") parseWholeNumber("Last-Event-ID", lastEventId, SEQ);
    const { last_seq, purged } = await visibleSession(deps.db, ctx);
    checkNotBeyond("after_seq", afterSeq, last_seq);
    if (purged && afterSeq < last_seq) throw goneEvents(sessionId);
    const throughSeq = lastWanted(untilSeq, { afterSeq, last_seq });
    const range = { afterSeq, throughSeq, limit, maxBytes: MAX_PAGE_BYTES };
    const events = await readEvents(deps.db, sessionId, range);
    // The purge or the deletion may have begun since the state was read.
    if (!isContiguous(events, afterSeq, throughSeq)) {
      await visibleSession(deps.db, ctx);
      throw goneEvents(sessionId);
    }
    return {
      session_id: sessionId,
      events: events.map(wireEvent),
      last_seq,
      has_more: (events.at(-1)?.seq ?? afterSeq) < throughSeq,
    };
  };
}

async function answerSse(
  deps: ApiDeps,
  ctx: RouterContext,
  sessionId: string,
): Promise<Readable | undefined> {
  const { db, sse } = deps;
  const closed = closedWith(ctx);
  const header = ctx.get("last-event-id");
  // A browser reconnects with the original query, so its header is newer.
  const field = header === "" ? "after_seq" : "Last-Event-ID";
  const afterSeq = parseWholeNumber(field, header === "" ? ctx.query["after_seq"] : header, SEQ);
  const { identity } = callerOf(ctx);
  const connection = sse.open(sessionId, identity, closed.signal);
  const { last_seq, status, purged } = await visibleSession(db, ctx);
  checkNotBeyond(field, afterSeq, last_seq);
  const followsAll = parseFollow(ctx.query["follow"]);
  const until = ctx.query["until_seq"];
  const isBounded = until !== undefined;
  const isOver = isBounded || (isTerminal(status) && !followsAll);
  const untilSeq = isBounded ? parseWholeNumber("until_seq", until, SEQ) : undefined;
  const lastWantedSeq = lastWanted(untilSeq, { afterSeq, last_seq });
  if (isOver && afterSeq === lastWantedSeq) {
    // 204 is the only response after which a browser does not reconnect.
    ctx.status = 204;
    return undefined;
  }
  if (purged && afterSeq < last_seq) throw goneEvents(sessionId);
  connection.notify(last_seq);
  const lastSeq = isOver ? lastWantedSeq : undefined;
  return streamAnswer(deps, ctx, closed, () =>
    sseStream({ db, connection, afterSeq, lastSeq, followsAll, heartbeatMs: sse.heartbeatMs }),
  );
}

/** Whether the stream goes on after the session's end. Throws RequestError 400. */
function parseFollow(given: string | string[] | undefined): boolean {
  if (given === undefined || given === "session") return false;
  if (given === "all") return true;
  throw validationError("follow", `must be session or all, got '${abbreviate(String(given))}'`, [
    "session",
    "all",
  ]);
}

/** The last event that is asked for. Throws RequestError 400 for one that the session does not have, or before the first. */
function lastWanted(
  untilSeq: number | undefined,
  { afterSeq, last_seq }: { readonly afterSeq: number; readonly last_seq: number },
): number {
  if (untilSeq === undefined) return last_seq;
  checkMoment({ last_seq }, untilSeq, "until_seq");
  if (untilSeq >= afterSeq) return untilSeq;
  throw validationError("until_seq", `must not be before after_seq, which is ${afterSeq}: got ${untilSeq}`);
}

function checkNotBeyond(field: string, afterSeq: number, lastSeq: number): void {
  if (afterSeq <= lastSeq) return;
  const { message } = validationError(
    field,
    `${afterSeq} is beyond the session's last event, which is ${lastSeq}`,
  );
  // A client that had this event must read the session anew.
  throw new RequestError(400, message, { code: EVENTS_LOST });
}

/** 410: the session exists and its events do not any more. */
function goneEvents(sessionId: string): RequestError {
  return new RequestError(410, eventsPurged(sessionId).message, { code: EVENTS_PURGED });
}
