import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  NOT_LISTED_YET,
  PASSING_FAILURES,
  toolListReplyCodec,
  toolListRequestCodec,
  type ToolDescription,
  type ToolListReply,
} from "#shared/contracts/tool-list.ts";
import { RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import { TOOL_TIMEOUTS, type ToolTimeouts } from "./tool-timeouts.ts";

/** A server whose tools are requested. */
export interface ToolServer {
  readonly id: string;
  /** Only these tools, by name without the server; null or absent means all. */
  readonly tools?: readonly string[] | null;
}

interface ListedTools {
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
  /** There is no tool, and a server that could not be listed may answer later. */
  readonly mayComeLater: boolean;
}

export type ToolListing =
  | ListedTools
  /** No runner answered in time, but one may answer later. The message is one sentence. */
  | { readonly kind: "unavailable"; readonly message: string }
  /** A runner answered what cannot be used. The message is one sentence. */
  | { readonly kind: "failed"; readonly message: string };

const CONTRACT = { request: toolListRequestCodec, reply: toolListReplyCodec };

/**
 * Requests the tools of these servers and keeps the selected ones. If no answer arrives within `listing.firstAnswerMs`,
 * the request is sent again, which usually reaches another runner; each repetition allows twice the time of the previous
 * one. The tools of a server that this runner could not list in time are requested again, too: for `listing.patienceMs` if
 * there are no tools at all or the server was never listed yet, for `listing.failedMs` otherwise. Returns `unavailable` if no
 * runner answers for `listing.patienceMs`. Throws the signal's reason once it aborts.
 */
export async function listTools(
  { bus, sessionId }: Pick<OwnedSession, "bus" | "sessionId">,
  { executionId, servers }: { readonly executionId: string; readonly servers: readonly ToolServer[] },
  signal: AbortSignal,
  { retryMs, listing: { firstAnswerMs, patienceMs, failedMs } }: ToolTimeouts = TOOL_TIMEOUTS,
): Promise<ToolListing> {
  let known: ToolListReply = { tools: [] };
  let asked = servers.map(({ id }) => id);
  if (asked.length === 0) return selectTools(known, servers);
  const startedAt = performance.now();
  let hasReply = false;
  let answerMs = firstAnswerMs;
  for (;;) {
    let problem: Exclude<ToolListing, { kind: "listed" }> | undefined;
    try {
      const body = { session_id: sessionId, execution_id: executionId, server_ids: asked };
      const reply = await request(bus, SUBJECTS.toolsList, CONTRACT, body, answerMs, signal);
      known = withReply(known, reply, asked);
      hasReply = true;
    } catch (error) {
      signal.throwIfAborted();
      const isLate = error instanceof RetryableError;
      if (!isLate && !(error instanceof TerminalError)) throw error;
      if (isLate && error.code === "request_timeout") answerMs *= 2;
      const message = `tools cannot be listed: ${errorMessage(error)}`;
      problem = { kind: isLate ? "unavailable" : "failed", message };
    }
    const waitedMs = performance.now() - startedAt;
    const isOver = (limitMs: number) => problem?.kind === "failed" || waitedMs >= limitMs;
    if (hasReply) {
      const listing = selectTools(known, servers);
      const awaited = awaitedServers(listing, servers);
      const isBlind = listing.tools.length === 0;
      const isNew = awaited.some((id) => listing.failed.get(id)?.code === NOT_LISTED_YET);
      if (awaited.length === 0) return listing;
      if (isOver(isBlind || isNew ? patienceMs : failedMs)) return { ...listing, mayComeLater: isBlind };
      asked = awaited;
    } else if (problem !== undefined && isOver(patienceMs)) return problem;
    await pause(jitter(retryMs), signal);
  }
}

/** The servers of which tools are wanted and another reply may have them. */
function awaitedServers({ failed }: ListedTools, servers: readonly ToolServer[]): string[] {
  const wanted = servers.filter(({ tools }) => tools?.length !== 0).map(({ id }) => id);
  return wanted.filter((id) => PASSING_FAILURES.has(failed.get(id)?.code ?? ""));
}

/** The listings together with a newer reply about some of the servers. */
function withReply(known: ToolListReply, reply: ToolListReply, asked: readonly string[]): ToolListReply {
  const isAsked = ({ server }: { readonly server: string }) => asked.includes(server);
  const joined = <T extends { readonly server: string }>(old: readonly T[] = [], next: readonly T[] = []) => [
    ...old.filter((one) => !isAsked(one)),
    ...next.filter(isAsked),
  ];
  return {
    tools: joined(known.tools, reply.tools),
    failed: joined(known.failed, reply.failed),
    stale: [...(known.stale ?? []), ...(reply.stale ?? [])],
    left_out: joined(known.left_out, reply.left_out),
  };
}

/** Keeps of a reply what was asked for. */
export function selectTools(reply: ToolListReply, servers: readonly ToolServer[]): ListedTools {
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
  return {
    kind: "listed",
    tools,
    missing,
    failed,
    stale: new Set(reply.stale),
    leftOut,
    mayComeLater: false,
  };
}

/** The same order for every listing: a prompt that begins like an earlier one may be cached by its provider. */
function byName({ name: one }: ToolDescription, { name: other }: ToolDescription): number {
  return one < other ? -1 : 1;
}

/** The code of a listing without an answer of a tool-runner. */
export const NO_RUNNER = "no_runner";

/** The remark about a server whose tools are those of an earlier listing. */
export const STALE = "the server does not answer: its tools are those of an earlier listing";

/** How the remark about tools begins that were asked for and are not offered. */
export const NOT_OFFERED = "asked for but not offered: ";

const SEPARATOR = "; ";

/** The remarks of a server's listing as one text; null if there are none. */
export function joinRemarks(remarks: readonly string[]): string | null {
  return remarks.length === 0 ? null : remarks.join(SEPARATOR);
}

/** The remarks that `joinRemarks` has joined; one that has the separator in itself becomes several. */
export function splitRemarks(text: string): string[] {
  return text.split(SEPARATOR);
}
