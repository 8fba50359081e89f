import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolListReplyCodec,
  toolListRequestCodec,
  type ToolDescription,
  type ToolListReply,
} from "#shared/contracts/tool-list.ts";
import { RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { OwnedSession } from "../owned-session.ts";
import { TOOL_TIMEOUTS, type ToolTimeouts } from "./tool-timeouts.ts";

/** A server whose tools are requested. */
export interface ToolServer {
  readonly id: string;
  /** Only these tools, by name without the server; null or absent means all. */
  readonly tools?: readonly string[] | null;
}

export type ToolListing =
  | {
      readonly kind: "listed";
      /** By server in the requested order, then by name; only tools that the agent may call. */
      readonly tools: readonly ToolDescription[];
      /** Requested by name, but not offered: "server.tool". */
      readonly missing: readonly string[];
      /** By id, why the tools of a server are not known. */
      readonly failed: ReadonlyMap<string, { readonly code: string; readonly message: string }>;
      /** The servers that did not answer, whose tools are those of an earlier listing. */
      readonly stale: ReadonlySet<string>;
      /** By id, which tools of a server are left out, and why. */
      readonly leftOut: ReadonlyMap<string, string>;
    }
  /** No runner answered in time, but one may answer later. The message is one sentence. */
  | { readonly kind: "unavailable"; readonly message: string }
  /** A runner answered what cannot be used. The message is one sentence. */
  | { readonly kind: "failed"; readonly message: string };

const CONTRACT = { request: toolListRequestCodec, reply: toolListReplyCodec };

/**
 * Requests the tools of these servers and keeps the selected ones. If no answer arrives within `listing.firstAnswerMs`,
 * the request is sent again, which usually reaches another runner; each repetition allows twice the time of the previous
 * one. Returns `unavailable` after `listing.patienceMs`. Throws the signal's reason once it aborts.
 */
export async function listTools(
  { bus, sessionId }: Pick<OwnedSession, "bus" | "sessionId">,
  { executionId, servers }: { readonly executionId: string; readonly servers: readonly ToolServer[] },
  signal: AbortSignal,
  { retryMs, listing: { firstAnswerMs, patienceMs } }: ToolTimeouts = TOOL_TIMEOUTS,
): Promise<ToolListing> {
  if (servers.length === 0) return selectTools({ tools: [] }, servers);
  const body = {
    session_id: sessionId,
    execution_id: executionId,
    server_ids: servers.map(({ id }) => id),
  };
  const until = performance.now() + patienceMs;
  let answerMs = firstAnswerMs;
  for (;;) {
    try {
      const reply = await request(bus, SUBJECTS.toolsList, CONTRACT, body, answerMs, signal);
      return selectTools(reply, servers);
    } catch (error) {
      signal.throwIfAborted();
      const message = `tools cannot be listed: ${errorMessage(error)}`;
      if (error instanceof TerminalError) return { kind: "failed", message };
      if (!(error instanceof RetryableError)) throw error;
      if (performance.now() >= until) return { kind: "unavailable", message };
      if (error.code === "request_timeout") answerMs *= 2;
    }
    await pause(jitter(retryMs), signal);
  }
}

/** Keeps of a reply what was asked for. */
export function selectTools(reply: ToolListReply, servers: readonly ToolServer[]): ToolListing {
  const failed = new Map(reply.failed?.map(({ server, code, message }) => [server, { code, message }]));
  const tools: ToolDescription[] = [];
  const missing: string[] = [];
  for (const { id, tools: names } of servers) {
    const ofServer = reply.tools.filter(({ server }) => server === id).toSorted(byName);
    const wanted = names?.map((name) => `${id}.${name}`);
    tools.push(...ofServer.filter(({ name }) => wanted === undefined || wanted.includes(name)));
    if (failed.has(id)) continue;
    missing.push(...(wanted ?? []).filter((name) => !ofServer.some((tool) => tool.name === name)));
  }
  const leftOut = new Map(reply.left_out?.map(({ server, message }) => [server, message]));
  return { kind: "listed", tools, missing, failed, stale: new Set(reply.stale), leftOut };
}

/** The same order for every listing: a prompt that begins like an earlier one may be cached by its provider. */
function byName({ name: one }: ToolDescription, { name: other }: ToolDescription): number {
  return one < other ? -1 : 1;
}
