import { AccessRefused } from "#shared/access/access-refused.ts";
import { isDatabaseSlow } from "#shared/database/connection/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { coerceError } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { Middleware } from "koa";
import type { IncomingMessage, ServerResponse } from "node:http";
import { RequestError } from "./request-error.ts";

/** By the status that the router sets for an unknown path or method, without a body. */
const UNROUTED = new Map([
  [404, new RequestError(404, "Not Found")],
  [405, new RequestError(405, "Method Not Allowed")],
  [501, new RequestError(405, "Method Not Allowed")],
]);

/** The only place that turns an error into a response: `{"message": …}`. Internal details go to the log only. */
export function errorHandler(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      const unrouted = ctx.body === undefined ? UNROUTED.get(ctx.status) : undefined;
      if (unrouted !== undefined) throw unrouted;
    } catch (thrown) {
      const error = coerceError(thrown);
      if (error instanceof RequestError) {
        ctx.status = error.status;
        if (error.retryAfterSeconds !== undefined) ctx.set("retry-after", String(error.retryAfterSeconds));
        if (error.closesConnection) stopReading(ctx.req, ctx.res);
        ctx.body = {
          message: error.message,
          ...(error.allowed === undefined ? {} : { allowed: error.allowed }),
          ...(error.code === undefined ? {} : { code: error.code }),
        };
      } else if (error instanceof AccessRefused) {
        ctx.status = error.status;
        ctx.set(error.headers);
        stopReading(ctx.req, ctx.res);
        ctx.body = { message: error.message };
      } else if (isDatabaseUnavailable(error)) {
        log.warn({ error: error.message, path: ctx.path }, "request refused: database unavailable");
        ctx.status = 503;
        ctx.set("retry-after", "1");
        ctx.body = { message: "the database is unavailable: try again in a moment" };
      } else if (isDatabaseSlow(error)) {
        log.warn({ error: error.message, path: ctx.path }, "request refused: database slow");
        ctx.status = 503;
        ctx.set("retry-after", "1");
        ctx.body = { message: "the database takes too long: try again in a moment" };
      } else {
        log.error({ error: error.message, stack: error.stack, path: ctx.path }, "request failed");
        ctx.status = 500;
        ctx.body = { message: "internal server error" };
      }
    }
  };
}

/** The client has this long to read the answer before its connection is reset, as happens to one that still sends. */
const LINGER_MS = 2_000;

/** Reads no more of a request that was refused, and closes its connection once the answer had time to arrive. */
function stopReading(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  response.setHeader("connection", "close");
  const { socket } = request;
  response.once("finish", () => {
    socket.pause();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}
