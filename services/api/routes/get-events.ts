import { Readable } from "node:stream";
import type { RouterContext, RouterMiddleware } from "@koa/router";
import { Type } from "typebox";
import type { DataSource } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ApiDeps } from "../api-deps.ts";
import { parseSessionId } from "../http/parse-parameters.ts";
import { parseWholeNumber } from "../parse-whole-number.ts";
import { RequestError, notFound, validationError } from "../http/request-error.ts";
import { streamEvents } from "../sse/sse-stream.ts";

const LIMIT = { fallback: 200, min: 1, max: 1_000 };
const SEQ = { fallback: 0, min: 0, max: 2_147_483_647 };
/** A page of a thousand events with large contents would be a gigabyte. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

/**
 * `GET /api/v1/sessions/:id/events`: the stored events after `after_seq`, ascending and exactly as on the WebSocket;
 * with `Accept: text/event-stream` followed by those to come, until the session is over.
 */
export function getEvents(deps: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    ctx.vary("accept");
    const sessionId = parseSessionId(ctx.params["id"]);
    if (ctx.accepts("application/json", "text/event-stream") === "text/event-stream") {
      return answerStream(deps, ctx, sessionId);
    }
    const afterSeq = parseWholeNumber("after_seq", ctx.query["after_seq"], SEQ);
    const limit = parseWholeNumber("limit", ctx.query["limit"], LIMIT);
    const { last_seq } = await readState(deps.db, sessionId);
    checkNotBeyond("after_seq", afterSeq, last_seq);
    const range = { afterSeq, throughSeq: last_seq, limit, maxBytes: MAX_PAGE_BYTES };
    const events = await readEvents(deps.db.manager, sessionId, range);
    ctx.body = {
      session_id: sessionId,
      events: events.map(wireEvent),
      last_seq,
      has_more: (events.at(-1)?.seq ?? afterSeq) < last_seq,
    };
  };
}

async function answerStream({ db, streams }: ApiDeps, ctx: RouterContext, sessionId: string): Promise<void> {
  const closed = new AbortController();
  ctx.res.once("close", () => closed.abort());
  const header = ctx.get("last-event-id");
  // A browser that connects again repeats the query as it was; its header is newer.
  const field = header === "" ? "after_seq" : "Last-Event-ID";
  const afterSeq = parseWholeNumber(field, header === "" ? ctx.query["after_seq"] : header, SEQ);
  const watch = streams.watch(sessionId, closed.signal);
  if (watch === undefined) {
    throw new RequestError(503, "no more event streams are taken now: try again later or elsewhere", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  const { last_seq, status } = await readState(db, sessionId);
  checkNotBeyond(field, afterSeq, last_seq);
  const isOver = isTerminal(status);
  if (isOver && afterSeq === last_seq) {
    // The one answer after which a browser does not connect again.
    ctx.status = 204;
    return;
  }
  watch.notice(last_seq);
  ctx.status = 200;
  ctx.type = "text/event-stream";
  // Buffering proxies would hold events back; at the end the connection is of no more use.
  ctx.set({ "cache-control": "no-store", "x-accel-buffering": "no", connection: "close" });
  if (ctx.method === "HEAD") return;
  ctx.res.setTimeout(streams.stalledMs, () => ctx.res.destroy());
  const lastSeq = isOver ? last_seq : undefined;
  ctx.body = Readable.from(streamEvents({ db, watch, afterSeq, lastSeq, heartbeatMs: streams.heartbeatMs }));
}

function checkNotBeyond(field: string, afterSeq: number, lastSeq: number): void {
  if (afterSeq <= lastSeq) return;
  throw validationError(field, `${afterSeq} is beyond the session's last event, which is ${lastSeq}`);
}

const parseState = compileParser(
  "event state row",
  Type.Object({ last_seq: Type.Integer(), status: literals(SESSION_STATUSES) }),
);

async function readState(db: DataSource, sessionId: string) {
  const [state] = await selectRows(
    db,
    parseState,
    "SELECT r.last_seq, s.status FROM session_runtime r JOIN alert_sessions s USING (session_id) WHERE session_id = $1",
    [sessionId],
  );
  if (state === undefined) throw notFound();
  return state;
}
