import type { AuditLog } from "#shared/access/audit-log.ts";
import type { Holiday } from "#shared/agent-config/schemas/system-section.ts";
import type { ToolSource } from "#shared/contracts/recorded-tools.ts";
import { CancelledError, TerminalError, coerceError } from "#shared/errors.ts";
import type { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import type { CostEstimation } from "#shared/pricing/price-call.ts";
import type { ProviderCircuits } from "../llm/provider-circuits.ts";
import type { BudgetRule } from "../persist/reserve-budget.ts";
import type { ReadVariable } from "../prompts/variable-placeholders.ts";
import type { ToolHomes } from "../tools/tool-homes.ts";
import type { DatabaseClock } from "./wait.ts";

/** The signals that end the work of a session, or of a part of it. */
export interface Signals {
  /**
   * Aborts with a CancelledError: user, deadline, lost lease, or the end of the grace period of a stop or of a request to park.
   */
  readonly cancelled: AbortSignal;
  /** Aborts with a CancelledError once the executor stops or the session is to park; running steps have a grace period. */
  readonly stopping: AbortSignal;
  /** Throws at a step's boundary if the work is cancelled or the executor is stopping. */
  throwIfStopped(): void;
}

/** The error that explains `thrown`: a verdict stays; another error that followed from a cancel becomes its reason. */
export function reasonFor({ cancelled }: Pick<Signals, "cancelled">, thrown: unknown): Error {
  if (thrown instanceof CancelledError || thrown instanceof TerminalError) return thrown;
  return coerceError(cancelled.aborted ? cancelled.reason : thrown);
}

/** The times of a session. */
export interface SessionClock extends DatabaseClock {
  /** The session's total time, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds until the session's deadline. */
  timeLeftMs(): number;
  /** The present for agents, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly holidays: readonly Holiday[];
}

/** The dependencies and settings of a session's LLM calls. */
export interface SessionLlm {
  readonly client: LLMServiceClient;
  /** The LLM providers that are away. */
  readonly circuits: ProviderCircuits;
  /** The largest message to the llm-gateway, in bytes. */
  readonly maxMessageBytes: number;
  /** The prices of calls. */
  readonly costEstimation: CostEstimation;
  /** How often the llm-gateway tries a call. */
  readonly tries: number;
  /** Looks up a variable that the configuration inserts into instructions. */
  readonly readVariable: ReadVariable;
  /** The budgets that the calls count against, as far as they are known now; empty if nothing limits them. */
  budgetRules(): readonly BudgetRule[];
  /**
   * The number of the next try of a call. It rises over all tries and owners, because readers of streamed text
   * discard what an earlier try wrote.
   */
  nextAttempt(): number;
}

/** The dependencies and settings of a session's tool calls. */
export interface SessionTools {
  readonly homes: ToolHomes;
  /** Records calls that are not made. */
  readonly audit: AuditLog;
  /** The longest call, whatever its server allows, in milliseconds. */
  readonly callMs: number;
  /** Whether calls are made, or answered from what is recorded. */
  readonly source: ToolSource;
}

/** What masks the texts of a session. */
export interface SessionMasker {
  readonly masker: Pick<Masker, "mask">;
  /** By server id. */
  readonly rules: ReadonlyMap<string, MaskingRules>;
}
