import { Readable } from "node:stream";
import type { RouterContext } from "@koa/router";
import { CLIENT_INFO_META_KEY, createMcpHandler } from "@modelcontextprotocol/server";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import { RULES_OF_NAMES } from "#shared/masking/masking-rules.ts";
import { withoutHidden } from "#shared/visible-controls.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import { RequestError } from "../http/request-error.ts";
import { callerOf } from "../http/caller.ts";
import { endWithCredential } from "../sse/stream-answer.ts";
import { openServers } from "./build-server.ts";
import { followResources, LISTEN } from "./subscriptions.ts";

const MAX_CLIENT = 100;
/** Its bytes are counted as long as its stream is open. */
const MAX_LISTENING = 64 * 1024;

type Json = Readonly<Record<string, unknown>>;

/** Returns what answers the messages of the route. Nothing is kept between two of them, so any replica answers any. */
export function openMcp(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { door, log, masker, sse } = deps;
  const build = openServers(deps);
  return async (ctx: RouterContext, message: Json): Promise<Buffer | Readable | undefined> => {
    const ending = new AbortController();
    ctx.res.once("close", () => ending.abort());
    if (ctx.res.closed) ending.abort();
    const { identity, peer } = callerOf(ctx);
    const client = await maskOrWithhold(masker, clientOf(ctx, message), RULES_OF_NAMES);
    const caller = { identity, peer, channel: "mcp" as const, detail: { client, credential: identity.via } };
    const listen = memberOf(memberOf(message, "params"), "notifications");
    const isListening = message["method"] === LISTEN && listen !== undefined;
    if (isListening && JSON.stringify(message).length > MAX_LISTENING) {
      throw new RequestError(413, "the message is too long for one that subscribes");
    }
    const followed = isListening
      ? await followResources(deps, caller, textsOf(listen["resourceSubscriptions"]), ending)
      : undefined;
    const handler = createMcpHandler(
      ({ era }) => build(era, { caller, request: ctx.req, signal: ending.signal }),
      {
        ...(followed === undefined ? {} : { bus: followed.bus }),
        keepAliveMs: sse.heartbeatMs,
        // Its message may have what the client sent.
        onerror: (error) => log.debug({ error: error.name }, "MCP message refused"),
      },
    );
    const parsedBody = followed === undefined ? message : withUris(message, listen ?? {}, followed.uris);
    const response = await handler.fetch(requestOf(ctx, ending.signal), { parsedBody });
    return sendable(ctx, response, () => {
      endWithCredential(door, identity, ending, log);
      ctx.res.setTimeout(sse.stalledMs, () => ctx.res.destroy());
    });
  };
}

/** The body of an answer; `onStream` is called for a stream of messages. */
async function sendable(
  ctx: RouterContext,
  response: Response,
  onStream: () => void,
): Promise<Buffer | Readable | undefined> {
  const type = response.headers.get("content-type") ?? "";
  ctx.status = response.status;
  if (response.body === null) {
    ctx.body = null;
    ctx.status = response.status;
    return undefined;
  }
  for (const name of ["www-authenticate", "mcp-protocol-version"]) {
    const value = response.headers.get(name);
    if (value !== null) ctx.set(name, value);
  }
  ctx.type = type;
  if (!type.startsWith("text/event-stream")) return Buffer.from(await response.arrayBuffer());
  // `x-accel-buffering` keeps proxies from delaying messages; no request can follow a stream on its connection.
  ctx.set({ "cache-control": "no-store", "x-accel-buffering": "no", connection: "close" });
  onStream();
  return Readable.fromWeb(response.body);
}

/** The request without its body, which was read. */
function requestOf({ req }: RouterContext, signal: AbortSignal): Request {
  const headers = Object.entries(req.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const request = new Request("http://localhost/mcp", { method: "POST", headers, signal });
  // It was read as JSON, whatever it calls itself.
  request.headers.set("content-type", "application/json");
  return request;
}

/** As the client calls itself. */
function clientOf(ctx: RouterContext, message: Json): string {
  const info = memberOf(memberOf(memberOf(message, "params"), "_meta"), CLIENT_INFO_META_KEY);
  const older = memberOf(memberOf(message, "params"), "clientInfo");
  const { name, version } = { name: undefined, version: undefined, ...(info ?? older) };
  const named = [name, version].filter((part) => typeof part === "string").join(" ");
  return withoutHidden(named === "" ? ctx.get("user-agent") : named).slice(0, MAX_CLIENT);
}

/** The message, asking for these resources only. */
function withUris(message: Json, listen: Json, uris: readonly string[]): Json {
  const { resourceSubscriptions: _all, ...others } = listen;
  const notifications = uris.length === 0 ? others : { ...others, resourceSubscriptions: uris };
  return { ...message, params: { ...memberOf(message, "params"), notifications } };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function memberOf(value: unknown, key: string): Json | undefined {
  const inner: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof inner === "object" && inner !== null ? { ...inner } : undefined;
}
