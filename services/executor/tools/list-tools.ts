import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolListReplyCodec,
  toolListRequestCodec,
  type ToolDescription,
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
      /** Ordered by server; only tools that the agent may call. */
      readonly tools: readonly ToolDescription[];
      /** Requested by name, but not offered: "server.tool". */
      readonly missing: readonly string[];
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
  if (servers.length === 0) return { kind: "listed", tools: [], missing: [] };
  const body = {
    session_id: sessionId,
    execution_id: executionId,
    server_ids: servers.map(({ id }) => id),
  };
  const until = performance.now() + patienceMs;
  let answerMs = firstAnswerMs;
  for (;;) {
    try {
      const { tools } = await request(bus, SUBJECTS.toolsList, CONTRACT, body, answerMs, signal);
      return selectTools(tools, servers);
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

function selectTools(offered: readonly ToolDescription[], servers: readonly ToolServer[]): ToolListing {
  const tools: ToolDescription[] = [];
  const missing: string[] = [];
  for (const { id, tools: names } of servers) {
    const ofServer = offered.filter(({ server }) => server === id);
    const wanted = names?.map((name) => `${id}.${name}`);
    tools.push(...ofServer.filter(({ name }) => wanted === undefined || wanted.includes(name)));
    missing.push(...(wanted ?? []).filter((name) => !ofServer.some((tool) => tool.name === name)));
  }
  return { kind: "listed", tools, missing };
}
