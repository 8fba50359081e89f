import type { Progress } from "@modelcontextprotocol/client";
import { coerceError, errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { CallResult } from "./call-result.ts";
import { McpFailure } from "./mcp-failure.ts";
import type { Lease, ServerConnections } from "./server-connections.ts";

/** The number of attempts of one call over all its connections. */
const MAX_ATTEMPTS = 3;
const RATE_LIMIT_MS = 1_000;
const REPEAT_MS = 500;

export interface ServerCall {
  readonly callId: string;
  readonly executionId: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** The time for which the server may show no sign of life. */
  readonly idleTimeoutMs: number;
  /** Ends the call, at the server too; the absolute limit of its time. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** See the connection's. */
  readonly holdMemory?: (memory: Disposable) => void;
  /** A call that may have reached the server is made once more when its connection is lost. */
  readonly isRepeatable?: boolean;
  /** Runs once, when there is a connection and before the first byte of the call goes out; if it throws, none does. */
  readonly beforeSend?: () => Promise<void>;
}

export interface ServerAnswer extends Pick<Lease, "generation" | "stateLost"> {
  readonly result: CallResult;
}

/**
 * Calls a tool. A call that provably did not reach the server is sent again on a new connection, and a repeatable one once
 * after it may have reached it; any other failure is thrown as McpFailure, whose `sent` says whether the call may have
 * begun. Throws what `beforeSend` throws.
 */
export async function callServer(connections: ServerConnections, call: ServerCall): Promise<ServerAnswer> {
  using _slot = await connections.slots.take(call.signal).catch((error: unknown) => {
    throw new McpFailure("aborted", "no", errorMessage(error), { cause: error });
  });
  let isAnnounced = false;
  let hasBeenLost = false;
  let wasForgotten = false;
  for (let attempt = 1; ; attempt += 1) {
    using lease = await connections.lend(call, call.signal);
    if (!isAnnounced) await call.beforeSend?.();
    isAnnounced = true;
    try {
      const { generation, stateLost } = lease;
      return { result: await callOnce(lease, call), generation, stateLost };
    } catch (thrown) {
      const error: unknown = wasForgotten ? refusedCall(thrown) : ofLease(thrown, lease);
      const isLast = attempt === MAX_ATTEMPTS;
      if (isLast || !(error instanceof McpFailure) || !maySendAgain(error, call, hasBeenLost)) throw error;
      hasBeenLost ||= error.sent === "maybe";
      wasForgotten ||= error.kind === "session_gone";
      const isRefused = error.kind === "rate_limited" || error.kind === "http_status";
      if (!isRefused) lease.connection.retire();
      if (isRefused || hasBeenLost) await pauseAfter(error, call.signal);
    }
  }
}

/** Waits before a call is sent again; throws the error that it was given if the signal aborts. */
async function pauseAfter(error: McpFailure, signal: AbortSignal): Promise<void> {
  const waitMs = error.kind === "rate_limited" ? (error.retryAfterMs ?? RATE_LIMIT_MS) : jitter(REPEAT_MS);
  await pause(waitMs, signal).catch(() => {
    throw error;
  });
}

/** The failure of a call on this connection, which is not used again if the server has forgotten its session. */
function ofLease(error: unknown, { connection, isNew }: Lease): unknown {
  if (!(error instanceof McpFailure) || error.kind !== "session_gone") return error;
  connection.retire();
  return isNew ? refusedCall(error) : error;
}

/**
 * A server cannot have forgotten a session that it issued for this very call: what says so comes from the call, which may
 * have run.
 */
function refusedCall(error: unknown): unknown {
  if (!(error instanceof McpFailure) || error.kind !== "session_gone") return error;
  return new McpFailure("http_status", "maybe", error.message, { code: error.code ?? 0 });
}

function maySendAgain(
  { kind, sent, code = 0, retryAfterMs = 0 }: McpFailure,
  { signal, idleTimeoutMs, isRepeatable = false }: ServerCall,
  hasBeenLost: boolean,
): boolean {
  if (sent === "answered" || signal.aborted) return false;
  // A server that did not answer in time, or answered what is no answer, would do so again.
  if (sent === "maybe") {
    const mayBeLost = kind === "closed" || kind === "session_gone" || (kind === "http_status" && code >= 500);
    return isRepeatable && !hasBeenLost && mayBeLost;
  }
  if (kind === "rate_limited") return retryAfterMs <= idleTimeoutMs;
  return kind === "session_gone" || kind === "closed" || kind === "unreachable";
}

async function callOnce({ connection }: Lease, call: ServerCall): Promise<CallResult> {
  const { callId, tool, args, idleTimeoutMs, signal, onProgress, holdMemory } = call;
  const idle = new AbortController();
  const timer = setTimeout(() => {
    const message = `the server showed no sign of life for ${idleTimeoutMs / 1_000} s`;
    idle.abort(new McpFailure("timeout", "maybe", message));
  }, idleTimeoutMs);
  try {
    return await connection.call({
      callId,
      tool,
      args,
      holdMemory,
      signal: AbortSignal.any([signal, idle.signal]),
      onProgress: (progress) => {
        timer.refresh();
        onProgress?.(progress);
      },
    });
  } catch (error) {
    throw idle.signal.aborted && !signal.aborted ? coerceError(idle.signal.reason) : error;
  } finally {
    clearTimeout(timer);
  }
}
