import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import type { DataSource } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ToolCallCancel, ToolCallOutcome, ToolCallRequest } from "#shared/contracts/tool-call.ts";
import { CALL_ALIVE_SECONDS } from "#shared/database/claim-tool-call.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import { recordOutcome } from "./record-outcome.ts";
import { CallEnd, runTool } from "./run-tool.ts";
import type { Tool } from "./tool.ts";

/** A call this process runs. */
export interface RunningCall {
  readonly request: ToolCallRequest;
  /** The recorded outcome; rejects if it could not be recorded. */
  readonly outcome: Promise<ToolCallOutcome>;
  /** Ends the work at once. */
  readonly end: (reason: CallEnd) => void;
}

export interface RunningCallsOptions {
  readonly db: DataSource;
  readonly log: Logger;
  /** Calls at a time. */
  readonly maxRunning: number;
  /** How long calls may go on after the stop. */
  readonly stopGraceMs: number;
}

const SIGN_OF_LIFE_EVERY_MS = 5_000;
/** For what is still to be recorded after the grace, within the time a stop may take. */
const RECORD_LIMIT_MS = 5_000;
const IDLE_POLL_MS = 20;

/** One statement for all of them. A cancel that the bus lost is found here too. */
const SIGN_OF_LIFE = `
WITH alive AS (
  UPDATE tool_calls SET alive_until = clock_timestamp() + make_interval(secs => ${CALL_ALIVE_SECONDS})
  WHERE call_id = ANY($1::text[]) AND state = 'running'
  RETURNING call_id, session_id
)
SELECT call_id, cancel_requested_at IS NOT NULL AS cancelled FROM alive JOIN session_runtime USING (session_id)`;
const parseAlive = compileParser(
  "running tool call",
  Type.Object({ call_id: Type.String(), cancelled: Type.Boolean() }),
);

/** The calls this process runs, from claim to record: shows their signs of life and ends them when told to. */
export class RunningCalls implements AsyncDisposable {
  readonly #options: RunningCallsOptions;
  readonly #calls = new Map<string, RunningCall>();
  readonly #giveUp = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #claiming = 0;
  #isStopping = false;

  constructor(options: RunningCallsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#showSignsOfLife().catch((error: unknown) =>
        options.log.warn({ error: errorMessage(error) }, "no sign of life of running tool calls given"),
      );
    }, SIGN_OF_LIFE_EVERY_MS);
  }

  find(callId: string): RunningCall | undefined {
    return this.#calls.get(callId);
  }

  /** Keeps a place for a call that is about to be claimed; undefined if there is none left. */
  takePlace(): Disposable | undefined {
    if (this.#isStopping || this.#calls.size + this.#claiming >= this.#options.maxRunning) return undefined;
    this.#claiming += 1;
    return {
      [Symbol.dispose]: () => {
        this.#claiming -= 1;
      },
    };
  }

  /** Runs a call that was claimed just now. */
  start(request: ToolCallRequest, tool: Tool): RunningCall {
    const ending = new AbortController();
    const run = async () => {
      const call = {
        callId: request.call_id,
        epoch: request.epoch,
        args: request.arguments,
        timeoutMs: request.timeout_ms,
        maxResultChars: request.max_result_chars,
      };
      const outcome = await runTool(tool, call, ending.signal);
      return recordOutcome(this.#options, request.call_id, outcome, this.#giveUp.signal);
    };
    const running: RunningCall = {
      request,
      outcome: run().finally(() => this.#calls.delete(request.call_id)),
      end: (reason) => ending.abort(reason),
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

  /** Ends a call on its owner's word; one that is not here, or the word of an earlier owner, is ignored. */
  cancel({ call_id, epoch, reason }: ToolCallCancel): void {
    const call = this.#calls.get(call_id);
    if (call === undefined || epoch < call.request.epoch) return;
    call.end(
      reason === "deadline"
        ? new CallEnd("deadline", "timed out")
        : new CallEnd("cancelled", "called off by the session's owner"),
    );
  }

  /** Lets the calls go on for the grace, then ends and records them. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { log, stopGraceMs } = this.#options;
    this.#isStopping = true;
    await this.#untilIdle(stopGraceMs);
    if (this.#calls.size > 0) log.warn({ calls: this.#calls.size }, "tool calls ended by the runner's stop");
    for (const call of this.#calls.values()) call.end(new CallEnd("runner_stops", "its runner was stopped"));
    await this.#untilIdle(RECORD_LIMIT_MS);
    this.#giveUp.abort(new Error("the runner stops"));
    clearInterval(this.#timer);
  }

  async #untilIdle(limitMs: number): Promise<void> {
    const until = performance.now() + limitMs;
    while (this.#calls.size + this.#claiming > 0 && performance.now() < until) await wait(IDLE_POLL_MS);
  }

  async #showSignsOfLife(): Promise<void> {
    const asked = [...this.#calls.keys()];
    if (asked.length === 0) return;
    const rows = await selectRows(this.#options.db, parseAlive, SIGN_OF_LIFE, [asked]);
    const alive = new Map(rows.map((row) => [row.call_id, row.cancelled]));
    for (const callId of asked) {
      const isCancelled = alive.get(callId);
      if (isCancelled === undefined) {
        this.find(callId)?.end(new CallEnd("runner_stops", "this runner was taken for dead"));
      } else if (isCancelled) {
        this.find(callId)?.end(new CallEnd("cancelled", "the session was cancelled"));
      }
    }
  }
}
