import { Readable } from "node:stream";
import type { RouterContext } from "@koa/router";
import type { Identity } from "#shared/access/identity.ts";
import { untilInactive } from "#shared/access/until-inactive.ts";
import { errorMessage } from "#shared/errors.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";

/** Aborts when the client of a request leaves. */
export function closedWith({ res }: RouterContext): AbortController {
  const closed = new AbortController();
  res.once("close", () => closed.abort());
  // The client may have left while its credential was checked: the event is then over.
  if (res.closed) closed.abort();
  return closed;
}

/**
 * Answers with Server-Sent Events, which end with the credential of the caller; a client that reads nothing for too long is disconnected.
 * Undefined for a request of the head alone.
 */
export function streamAnswer(
  { sse, door, log }: Pick<ApiDeps, "sse" | "door" | "log">,
  ctx: RouterContext,
  closed: AbortController,
  parts: () => AsyncIterable<string> | Iterable<string>,
): Readable | undefined {
  ctx.type = "text/event-stream";
  // `x-accel-buffering` keeps proxies from delaying events; no request can follow an SSE stream on its connection.
  ctx.set({ "cache-control": "no-store", "x-accel-buffering": "no", connection: "close" });
  if (ctx.method === "HEAD") return undefined;
  endWithCredential(door, callerOf(ctx).identity, closed, log);
  ctx.res.setTimeout(sse.stalledMs, () => ctx.res.destroy());
  return Readable.from(parts());
}

/** Ends the stream when the caller's credential expires or is revoked; the client's next request is answered with 401. */
export function endWithCredential(
  door: ApiDeps["door"],
  identity: Identity,
  stream: AbortController,
  log: ApiDeps["log"],
): void {
  untilInactive(door, identity, stream.signal)
    .then(() => stream.abort())
    .catch((error: unknown) => {
      if (stream.signal.aborted) return;
      log.error({ error: errorMessage(error) }, "credential of an event stream not checked: ending it");
      stream.abort();
    });
}
