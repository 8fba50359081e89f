import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolListReplyCodec,
  toolListRequestCodec,
  type ToolDescription,
} from "#shared/contracts/tool-list.ts";
import { RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import type { OwnedSession } from "../owned-session.ts";
import { PATIENCE, pause, type ToolPatience } from "./tool-timeouts.ts";

/** Whose tools are asked for. */
export interface ToolServer {
  readonly id: string;
  /** Only these of its tools, by their names without the server; null or absent means all. */
  readonly tools?: readonly string[] | null;
}

export type ToolListing =
  | {
      readonly kind: "listed";
      /** In the order of the servers; only what may be called. */
      readonly tools: readonly ToolDescription[];
      /** Asked for by name, but not offered: "server.tool". */
      readonly missing: readonly string[];
    }
  /** Nobody could be asked; the message is one sentence. */
  | { readonly kind: "unavailable"; readonly message: string };

const CONTRACT = { request: toolListRequestCodec, reply: toolListReplyCodec };

/**
 * Asks which tools these servers offer, of those that are chosen. Tries for a while if nobody answers. Throws the
 * signal's reason once it aborts.
 */
export async function listTools(
  { bus, sessionId }: Pick<OwnedSession, "bus" | "sessionId">,
  { executionId, servers }: { readonly executionId: string; readonly servers: readonly ToolServer[] },
  signal: AbortSignal,
  patience: ToolPatience = PATIENCE,
): Promise<ToolListing> {
  if (servers.length === 0) return { kind: "listed", tools: [], missing: [] };
  const question = {
    session_id: sessionId,
    execution_id: executionId,
    server_ids: servers.map(({ id }) => id),
  };
  const until = performance.now() + patience.noRespondersMs;
  for (;;) {
    try {
      const { tools } = await request(
        bus,
        SUBJECTS.toolsList,
        CONTRACT,
        question,
        patience.answerWithinMs,
        signal,
      );
      return chosen(tools, servers);
    } catch (error) {
      signal.throwIfAborted();
      const isOver = error instanceof TerminalError || performance.now() >= until;
      if (!isOver && !(error instanceof RetryableError)) throw error;
      if (isOver) return { kind: "unavailable", message: `tools cannot be listed: ${errorMessage(error)}` };
    }
    await pause(patience, signal);
  }
}

function chosen(offered: readonly ToolDescription[], servers: readonly ToolServer[]): ToolListing {
  const tools: ToolDescription[] = [];
  const missing: string[] = [];
  for (const { id, tools: names } of servers) {
    const its = offered.filter(({ server }) => server === id);
    const wanted = names?.map((name) => `${id}.${name}`);
    tools.push(...its.filter(({ name }) => wanted === undefined || wanted.includes(name)));
    missing.push(...(wanted ?? []).filter((name) => !its.some((tool) => tool.name === name)));
  }
  return { kind: "listed", tools, missing };
}
