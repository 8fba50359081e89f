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

/**
 * The only place that turns an error into a response: `{"message": …}`. Internal details go to the log only. With `signsIn`, a page that has no
 * credential learns that it can sign in with the identity provider.
 */
export function errorHandler(log: Logger, signsIn = false): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      const unrouted = ctx.body === undefined ? UNROUTED.get(ctx.status) : undefined;
      if (unrouted !== undefined) throw unrouted;
    } catch (thrown) {
      const { status, headers, closes, ...body } = failureOf(thrown, log, ctx.path);
      ctx.status = status;
      ctx.set(headers);
      if (closes) stopReading(ctx.req, ctx.res);
      ctx.body = signsIn && status === 401 ? { ...body, code: "sign_in" } : body;
    }
  };
}

/** A failed request as its client may know of it. */
interface Failure {
  readonly status: number;
  readonly message: string;
  readonly allowed?: readonly string[];
  readonly code?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The rest of the request is not read. */
  readonly closes: boolean;
}

/** What the client reads of a failure; internal details are logged instead. */
export function failureOf(thrown: unknown, log: Logger, path: string): Failure {
  const error = coerceError(thrown);
  if (error instanceof RequestError) {
    const { status, message, allowed, code, retryAfterSeconds: seconds, closesConnection: closes } = error;
    return {
      status,
      message,
      ...(allowed === undefined ? {} : { allowed }),
      ...(code === undefined ? {} : { code }),
      headers: seconds === undefined ? {} : { "retry-after": String(seconds) },
      closes,
    };
  }
  if (error instanceof AccessRefused) {
    const { status, message, headers } = error;
    return { status, message, headers, closes: true };
  }
  const unavailable = isDatabaseUnavailable(error);
  if (unavailable || isDatabaseSlow(error)) {
    const [event, message] = unavailable
      ? ["request refused: database unavailable", "the database is unavailable: try again in a moment"]
      : ["request refused: database slow", "the database takes too long: try again in a moment"];
    log.warn({ error: error.message, path }, event);
    return { status: 503, message, headers: { "retry-after": "1" }, closes: false };
  }
  log.error({ error: error.message, stack: error.stack, path }, "request failed");
  return { status: 500, message: "internal server error", headers: {}, closes: false };
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
