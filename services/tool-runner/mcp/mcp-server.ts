import type { Progress } from "@modelcontextprotocol/client";
import { coerceError, errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import { readableText, withoutOwnLines } from "../readable-text.ts";
import type { Tool, ToolOutput } from "../tool.ts";
import type { CallResult } from "./call-result.ts";
import { compileArgumentsCheck, type ArgumentsCheck } from "#shared/tool-arguments/check-arguments.ts";
import { fitArguments } from "#shared/tool-arguments/fit-arguments.ts";
import { cleanUpSession } from "./http/clean-up-session.ts";
import { namesExecution } from "./http/session-id.ts";
import { describeTool, type ListedTool } from "./list-tools.ts";
import { McpFailure } from "./mcp-failure.ts";
import { parseArguments } from "#shared/tool-arguments/parse-arguments.ts";
import { joinParts } from "./result-text.ts";
import { ServerConnections, type Lease, type ServerConnectionsDeps } from "./server-connections.ts";
import { ServerHealth } from "./server-health.ts";
import type { ServerReport } from "./server-report.ts";
import type { ServerSettings } from "./server-settings.ts";
import { ServerToolListing } from "./tool-listing.ts";

/** The number of attempts of one call over all its connections. */
const MAX_ATTEMPTS = 3;
const RATE_LIMIT_MS = 1_000;
const REPEAT_MS = 500;
const ANY_ARGUMENTS = '{"type":"object"}';
const STATE_LOST =
  "[The connection to this server was opened anew: what earlier calls left in its memory is gone.]\n";

export interface ServerCall {
  readonly callId: string;
  readonly executionId: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
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

interface ServerAnswer extends Pick<Lease, "generation" | "stateLost"> {
  readonly result: CallResult;
}

interface CheckedSchema {
  readonly schema: unknown;
  readonly problemOf: ArgumentsCheck;
}

/** An MCP server of the configuration: its listing, its connections, its health, and calls to its tools. */
export class McpServer implements AsyncDisposable {
  readonly settings: ServerSettings;
  readonly connections: ServerConnections;
  readonly listing: ServerToolListing;
  readonly #health = new ServerHealth();
  readonly #stopped = new AbortController();
  /** Keyed by tool, as long as its list is kept. */
  readonly #parameters = new WeakMap<ListedTool, CheckedSchema>();

  constructor(deps: Omit<ServerConnectionsDeps, "onToolsChanged">) {
    const { settings, mask } = deps;
    this.settings = settings;
    this.connections = new ServerConnections({ ...deps, onToolsChanged: () => this.listing.expire() });
    const { signal } = this.#stopped;
    this.listing = new ServerToolListing({
      settings,
      connections: this.connections,
      mask,
      signal,
      health: this.#health,
    });
  }

  get id(): string {
    return this.settings.id;
  }

  /** True if requests carry the id of an execution. */
  get namesExecution(): boolean {
    return namesExecution(this.settings.transport);
  }

  /** True if the server wants a notice when an execution has ended. */
  get hasCleanUp(): boolean {
    const { transport } = this.settings;
    return transport.type !== "stdio" && transport.sessionCleanupUrl !== undefined;
  }

  /** The known state. */
  get report(): ServerReport {
    return {
      ...this.connections.report,
      id: this.id,
      transport: this.settings.transport.type,
      health: this.#health,
      tools: this.listing.last,
      unansweredMs: this.listing.unansweredMs,
      isUsable: this.listing.isUsable,
    };
  }

  /** Asks for the tools, to see how the server is. Never throws. */
  async probe(executionId?: string): Promise<void> {
    await this.listing.refresh(executionId).catch(() => undefined); // reported
  }

  /** Notifies the server that an execution has ended; see `cleanUpSession`. */
  async cleanUp(executionId: string): Promise<boolean> {
    return cleanUpSession(this.settings.transport, executionId, this.connections);
  }

  /** A tool that the server has listed. */
  tool(listed: ListedTool): Tool {
    return {
      description: describeTool(this.id, listed),
      call: async (text, signal, context): Promise<ToolOutput> => {
        const written = parseArguments(text);
        if (typeof written === "string") return { isError: true, content: [written] };
        const { schema, problemOf } = this.#parametersOf(listed);
        const args = fitArguments(written, schema);
        const problem = problemOf(args);
        if (problem !== undefined) return { isError: true, content: [problem] };
        const { result, stateLost } = await this.call({ ...context, tool: listed.name, args, signal });
        const { text: content, seams } = joinParts(result, (part) => withoutOwnLines(readableText(part)));
        const before = stateLost ? STATE_LOST : "";
        return {
          isError: result.isError === true,
          content: [before + content],
          seams: seams.map((at) => before.length + at),
        };
      },
    };
  }

  /**
   * A tool while the server cannot be asked for its tools: calls fail with the reason, and nothing is sent, because the
   * tool's effect is unknown.
   */
  unlistedTool(name: string, reason: string): Tool {
    const nothing = { description: "", title: undefined, schema: ANY_ARGUMENTS, hash: "" };
    const write = { effect: "write", isEffectKnown: false, gate: "allow", needsApproval: false } as const;
    return {
      description: describeTool(this.id, { name, ...nothing, ...write }),
      call: () => Promise.reject(new McpFailure("unreachable", "no", reason)),
    };
  }

  /**
   * Calls a tool. A call that provably did not reach the server is sent again on a new connection, and a repeatable one once
   * after it may have reached it; any other failure is thrown as McpFailure, whose `sent` says whether the call may have
   * begun. Throws what `beforeSend` throws.
   */
  async call(call: ServerCall): Promise<ServerAnswer> {
    try {
      const answer = await this.#send(call);
      this.#health.answered();
      return answer;
    } catch (error) {
      this.#health.failed(error);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort(new Error("the runner stops"));
    await this.connections[Symbol.asyncDispose]();
  }

  #parametersOf(listed: ListedTool): CheckedSchema {
    const { schema } = listed;
    const known = this.#parameters.get(listed) ?? {
      schema: JSON.parse(schema),
      problemOf: compileArgumentsCheck(schema),
    };
    this.#parameters.set(listed, known);
    return known;
  }

  async #send(call: ServerCall): Promise<ServerAnswer> {
    const { connections } = this;
    const { callTimeoutMs: idleTimeoutMs } = this.settings;
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
        return { result: await callOnce(lease, call, idleTimeoutMs), generation, stateLost };
      } catch (thrown) {
        const error: unknown = wasForgotten ? refusedCall(thrown) : ofLease(thrown, lease);
        if (attempt === MAX_ATTEMPTS || !(error instanceof McpFailure)) throw error;
        if (!maySendAgain(error, call, { idleTimeoutMs, hasBeenLost })) throw error;
        hasBeenLost ||= error.sent === "maybe";
        wasForgotten ||= error.kind === "session_gone";
        const isRefused = error.kind === "rate_limited" || error.kind === "http_status";
        if (!isRefused) lease.connection.retire();
        if (isRefused || hasBeenLost) await pauseAfter(error, call.signal);
      }
    }
  }
}

/** Waits before a call is sent again; throws `error` if the signal aborts. */
async function pauseAfter(error: McpFailure, signal: AbortSignal): Promise<void> {
  const waitMs = error.kind === "rate_limited" ? (error.retryAfterMs ?? RATE_LIMIT_MS) : jitter(REPEAT_MS);
  await pause(waitMs, signal).catch(() => {
    throw error;
  });
}

/**
 * The failure of a call on this connection, which is not used again if the server has forgotten its session, or refuses the call where
 * it has given none: it may have begun to ask for one.
 */
function ofLease(error: unknown, { connection, isNew }: Lease): unknown {
  if (!(error instanceof McpFailure)) return error;
  const { kind, code = 0 } = error;
  if (kind === "http_status" && code < 500 && connection.isSessionless) connection.retire();
  if (kind !== "session_gone") return error;
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
  { signal, isRepeatable = false }: ServerCall,
  { idleTimeoutMs, hasBeenLost }: { readonly idleTimeoutMs: number; readonly hasBeenLost: boolean },
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

/** Makes the call on one connection; `idleTimeoutMs` is the time for which the server may send nothing. */
async function callOnce(
  { connection }: Lease,
  { signal, onProgress, ...call }: ServerCall,
  idleTimeoutMs: number,
): Promise<CallResult> {
  const idle = new AbortController();
  const timer = setTimeout(() => {
    const message = `the server showed no sign of life for ${idleTimeoutMs / 1_000} s`;
    idle.abort(new McpFailure("timeout", "maybe", message));
  }, idleTimeoutMs);
  try {
    return await connection.call({
      ...call,
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
