import { setTimeout as wait } from "node:timers/promises";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CALL_ALIVE_MS, CALL_HEARTBEAT_MS } from "#shared/contracts/durations.ts";
import { isRepeatable, type ToolEffect } from "#shared/contracts/tool-list.ts";
import {
  toolCallId,
  type ToolCallCancel,
  type ToolCallOutcome,
  type ToolCallProgress,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import type { AuditLog } from "#shared/access/audit-log.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import { ByteBudget } from "./byte-budget.ts";
import { CallMasking, type CallMaskingDeps, runTool } from "./run-tool.ts";
import { CallProgress } from "./call-progress.ts";
import { recordOutcome, announceSending } from "./call-rows.ts";
import { CallAborted } from "./failed-outcome.ts";
import type { SessionCleanups } from "./session-cleanups.ts";
import type { Tool } from "./tool.ts";

/** A call that this process runs. */
export interface RunningCall {
  readonly request: ToolCallRequest;
  /** The recorded outcome; rejects if it could not be recorded. */
  readonly outcome: Promise<ToolCallOutcome>;
  /** Ends the call immediately. */
  readonly abort: (reason: CallAborted) => void;
}

interface RunningCallsOptions extends CallMaskingDeps {
  readonly audit: AuditLog;
  /** Absent where no MCP server is configured. */
  readonly cleanups?: Pick<SessionCleanups, "remember">;
  /** Gets the masked progress of running calls, with their execution's id. */
  readonly onProgress?: (executionId: string, progress: ToolCallProgress) => void;
  /** Concurrent calls. */
  readonly maxRunning: number;
  /** The time for which calls may continue after a stop. */
  readonly stopGraceMs: number;
}

/** Timeout for recording the aborted calls after the grace period. */
const RECORD_TIMEOUT_MS = 5_000;
const IDLE_POLL_MS = 20;
/** The room for results above 256 KiB: a process needs several times as much while it handles them. */
const LARGE_RESULTS_BYTES = 64 * 1024 * 1024;

/** Extends the life of all running calls in one statement, and reads cancels that the bus may have lost. */
const HEARTBEAT = `
WITH alive AS (
  UPDATE tool_calls SET alive_until = clock_timestamp() + make_interval(secs => ${CALL_ALIVE_MS / 1_000})
  WHERE call_id = ANY($1::text[]) AND state = 'running'
  RETURNING call_id, session_id
)
SELECT call_id, cancel_requested_at IS NOT NULL AS cancelled FROM alive JOIN session_runtime USING (session_id)`;
const parseAlive = compileParser(
  "running tool call",
  Type.Object({ call_id: Type.String(), cancelled: Type.Boolean() }),
);

/** The calls that this process runs, from claim to recorded outcome. Sends their heartbeats and aborts them on request. */
export class RunningCalls implements AsyncDisposable {
  readonly #options: RunningCallsOptions;
  readonly #calls = new Map<string, RunningCall>();
  readonly #stopRecording = new AbortController();
  readonly #memory = new ByteBudget(LARGE_RESULTS_BYTES);
  readonly #timer: NodeJS.Timeout;
  #claiming = 0;
  #isStopping = false;

  constructor(options: RunningCallsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#heartbeat().catch((error: unknown) =>
        options.log.warn({ error: errorMessage(error) }, "tool call heartbeat failed"),
      );
    }, CALL_HEARTBEAT_MS);
  }

  find(callId: string): RunningCall | undefined {
    return this.#calls.get(callId);
  }

  /** True if a call of the execution runs. */
  hasCallOf(executionId: string): boolean {
    return [...this.#calls.values()].some(({ request }) => request.execution_id === executionId);
  }

  /** Reserves a slot for a call that is about to be claimed; undefined if none is free. */
  reserveSlot(): Disposable | undefined {
    if (this.#isStopping || this.#calls.size + this.#claiming >= this.#options.maxRunning) return undefined;
    this.#claiming += 1;
    return {
      [Symbol.dispose]: () => {
        this.#claiming -= 1;
      },
    };
  }

  /** Starts a call that was claimed with this effect. */
  start(request: ToolCallRequest, tool: Tool, effect: ToolEffect): RunningCall {
    const aborting = new AbortController();
    const run = async () => {
      const call = {
        callId: request.call_id,
        executionId: request.execution_id,
        handle: toolCallId(request.execution_id, request.position),
        epoch: request.epoch,
        effect,
        args: request.arguments,
        timeoutMs: request.timeout_ms,
        maxResultChars: request.max_result_chars,
      };
      const { server } = tool.description;
      const masking = new CallMasking(this.#options, { sessionId: request.session_id, server });
      using memory = this.#memory.reserve();
      const announce = async (signal: AbortSignal) => {
        await this.#options.cleanups?.remember(server, request, signal);
        if (!isRepeatable(effect)) await announceSending(this.#options, request, signal);
      };
      using progress = new CallProgress({
        callId: request.call_id,
        mask: async (text) => masking.mask(text, aborting.signal),
        send: (report) => this.#options.onProgress?.(request.execution_id, report),
      });
      const onProgress = progress.push.bind(progress);
      const startedAt = performance.now();
      const finished = await runTool(tool, call, aborting.signal, { masking, memory, announce, onProgress });
      const { outcome, kept } = finished;
      this.#options.metrics?.finished({
        server,
        tool: request.name.slice(server.length + 1),
        isListed: tool.description.definition_hash !== "",
        outcome,
        seconds: (performance.now() - startedAt) / 1_000,
        bytes: kept?.bytes ?? (outcome.kind === "result" ? Buffer.byteLength(outcome.content) : 0),
      });
      return await recordOutcome(this.#options, request.call_id, finished, this.#stopRecording.signal);
    };
    const running: RunningCall = {
      request,
      outcome: run().finally(() => this.#calls.delete(request.call_id)),
      abort: (reason) => aborting.abort(reason),
    };
    running.outcome.catch((error: unknown) =>
      this.#options.log.error(
        { call_id: request.call_id, error: errorMessage(error) },
        "tool call not recorded",
      ),
    );
    this.#calls.set(request.call_id, running);
    return running;
  }

  /** Aborts a call for its owner. Ignores unknown calls and cancels from an earlier epoch. */
  cancel({ call_id, epoch, reason }: ToolCallCancel): void {
    const call = this.#calls.get(call_id);
    if (call === undefined || epoch < call.request.epoch) return;
    call.abort(
      reason === "deadline"
        ? new CallAborted("deadline", "timed out")
        : new CallAborted("cancelled", "cancelled by the session's owner"),
    );
  }

  /** Lets the calls continue for the grace period, then aborts and records the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { log, stopGraceMs } = this.#options;
    this.#isStopping = true;
    await this.#untilIdle(stopGraceMs);
    if (this.#calls.size > 0) log.warn({ calls: this.#calls.size }, "tool calls aborted by shutdown");
    for (const call of this.#calls.values()) {
      call.abort(new CallAborted("runner_stops", "its runner was stopped"));
    }
    await this.#untilIdle(RECORD_TIMEOUT_MS);
    this.#stopRecording.abort(new Error("the runner stops"));
    clearInterval(this.#timer);
  }

  async #untilIdle(limitMs: number): Promise<void> {
    const until = performance.now() + limitMs;
    while (this.#calls.size + this.#claiming > 0 && performance.now() < until) await wait(IDLE_POLL_MS);
  }

  async #heartbeat(): Promise<void> {
    const callIds = [...this.#calls.keys()];
    if (callIds.length === 0) return;
    const rows = await selectRows(this.#options.db, parseAlive, HEARTBEAT, [callIds]);
    const alive = new Map(rows.map((row) => [row.call_id, row.cancelled]));
    for (const callId of callIds) {
      const isCancelled = alive.get(callId);
      if (isCancelled === undefined) {
        this.find(callId)?.abort(new CallAborted("runner_stops", "this runner was taken for dead"));
      } else if (isCancelled) {
        this.find(callId)?.abort(new CallAborted("cancelled", "the session was cancelled"));
      }
    }
  }
}
