import type { CallReservation } from "../budget/reserve-call.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { CancelledError } from "#shared/errors.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { commitReserving, commitStep, type CommitKind } from "../persist/commit-step.ts";
import type { BudgetRequest, BudgetVerdict } from "../persist/reserve-budget.ts";
import type { SessionWriter } from "../persist/session-writer.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { foldAgent, type AgentMemory } from "../state/agent-memory.ts";
import { loadAgent } from "../state/load-agent.ts";
import { CallsAhead } from "../tools/calls-ahead.ts";
import { throwIfDifferent } from "../state/session-memory.ts";

interface AgentStepsOptions {
  readonly session: SessionWriter & { readonly verifiesState: boolean };
  readonly memory: AgentMemory;
  /** The generation of the session's memory before `memory` was read. */
  readonly generation: number;
  /** The newest entry of the inbox that was known of before `memory` was read. */
  readonly inboxSeq: number;
  /** Steps of the session that precede the agent's first one and are committed with it. */
  readonly before: SessionSteps;
  /** The steps of this owner that these go on from: what only this process has is taken from them. */
  readonly former?: AgentSteps;
}

/**
 * The steps of a running agent. Those that need nothing from outside are committed together with the outcome before them,
 * so that there is one commit for each call of a model or a tool, not one for each step.
 */
export class AgentSteps {
  readonly #session: AgentStepsOptions["session"];
  readonly #generation: number;
  /** The newest entry of the inbox that was known of when the rows were read, or was read with them. */
  readonly #inboxSeq: number;
  /** The arguments of the newest answer's calls as the model wrote them, where only masked ones are stored; by index. */
  writtenArguments: ReadonlyMap<number, string>;
  /** The reservation for the next call; undefined if no budget limits it. */
  reservation: CallReservation | undefined;
  /** Tool calls that were begun beside an earlier one. */
  readonly callsAhead: CallsAhead;
  /** The first of the pending steps that are the session's own. */
  #sessionSteps: readonly StepRecord[];
  #memory: AgentMemory;
  #pending: StepRecord[];
  #onCommitted: (() => void)[];

  constructor({ session, memory, generation, inboxSeq, before, former }: AgentStepsOptions) {
    this.#session = session;
    this.#memory = memory;
    this.#pending = [...before.steps];
    this.#sessionSteps = before.steps;
    this.#onCommitted = [before.committed];
    this.#generation = generation;
    this.#inboxSeq = Math.max(inboxSeq, memory.inboxSeq);
    this.writtenArguments = former?.writtenArguments ?? new Map();
    this.callsAhead = former?.callsAhead ?? new CallsAhead();
  }

  /** The agent's rows after the steps so far, committed or not. */
  get memory(): AgentMemory {
    return this.#memory;
  }

  /** Steps that are not committed yet. */
  get pending(): readonly StepRecord[] {
    return this.#pending;
  }

  /** True if others may have written the agent's rows, or something for the agent, since they were read. */
  get isOutOfDate(): boolean {
    const { memory, inbox } = this.#session;
    return memory.generation !== this.#generation || inbox.newest > this.#inboxSeq;
  }

  /** Adds a step; `committed` is called once it is stored. */
  add(step: StepRecord, committed?: () => void): void {
    // The step as it will be stored: the state in memory must not differ from the rows.
    const safe = postgresSafeValue(step);
    this.#pending.push(safe);
    this.#memory = foldAgent(this.#memory, safe.rows);
    if (committed !== undefined) this.#onCommitted.push(committed);
  }

  /**
   * Commits the steps that are not stored yet. Throws what `commitStep` throws; the object must not be used afterwards. If
   * steps of the session were among them, these are then committed alone; throws SessionStepsError if that fails, too.
   */
  async commit(): Promise<void> {
    if (this.#pending.length === 0) return;
    await this.#commit((steps) => commitStep(this.#session, steps));
  }

  /** The same together with a reservation for the call that follows, also without any steps; returns the verdict. */
  async commitReserving(request: BudgetRequest): Promise<BudgetVerdict> {
    return this.#commit((steps) => commitReserving(this.#session, steps, request));
  }

  async #commit<T>(write: (steps: readonly StepRecord[]) => Promise<T>): Promise<T> {
    const steps = this.#take();
    const before = this.#sessionSteps;
    this.#sessionSteps = [];
    let written: T;
    try {
      written = await write(steps);
    } catch (error) {
      if (before.length === 0) throw error;
      if (hasVerdict(error)) throw new SessionStepsError(error);
      await this.#commitAlone(before);
      throw error;
    }
    await this.#stored();
    return written;
  }

  /**
   * Commits the agent's last steps with those of the session that follow. If the latter fail, the agent's outcome is stored
   * without them, because a model may have been paid for it; then throws SessionStepsError.
   */
  async commitLast({ steps: following, kind, committed }: SessionSteps): Promise<void> {
    if (following.length === 0) return this.commit();
    const own = this.#take();
    const before = this.#sessionSteps;
    this.#sessionSteps = [];
    try {
      await commitStep(this.#session, [...own, ...following], kind);
    } catch (error) {
      if (before.length > 0 || hasVerdict(error)) throw new SessionStepsError(error);
      await commitStep(this.#session, own);
      throw new SessionStepsError(error);
    }
    for (const { rows } of following) this.#memory = foldAgent(this.#memory, rows);
    committed();
    await this.#stored();
  }

  #take(): readonly StepRecord[] {
    const steps = this.#pending;
    this.#pending = [];
    return steps;
  }

  async #commitAlone(steps: readonly StepRecord[]): Promise<void> {
    try {
      await commitStep(this.#session, steps);
    } catch (error) {
      throw new SessionStepsError(error);
    }
  }

  async #stored(): Promise<void> {
    const callbacks = this.#onCommitted;
    this.#onCommitted = [];
    for (const committed of callbacks) committed();
    if (!this.#session.verifiesState) return;
    const stored = await loadAgent(this.#session.db, this.#memory.executionId);
    throwIfDifferent("agent", comparable(stored), comparable(this.#memory));
  }
}

/** The steps of an execution, with its memory read from the rows and nothing to commit; `former` as in the options. */
export async function readAgentSteps(
  session: AgentStepsOptions["session"],
  executionId: string,
  former?: AgentSteps,
): Promise<AgentSteps> {
  const { generation } = session.memory;
  const inboxSeq = session.inbox.newest;
  const memory = await loadAgent(session.db, executionId);
  return new AgentSteps({
    session,
    memory,
    generation,
    inboxSeq,
    before: NO_STEPS,
    ...(former && { former }),
  });
}

/** True for an error after which this owner cannot commit any of the steps: a cancel, a lost lease, no database. */
function hasVerdict(error: unknown): boolean {
  return error instanceof CancelledError || isDatabaseUnavailable(error);
}

/** Steps of the session that the rows alone decide, and how the last of them is committed. */
export interface SessionSteps {
  readonly steps: readonly StepRecord[];
  readonly kind: CommitKind;
  /** To be called once they are stored. */
  readonly committed: () => void;
}

/** No steps of the session. */
export const NO_STEPS: SessionSteps = { steps: [], kind: "step", committed: () => undefined };

/** Steps of the session could not be committed with those of its agent; the cause is the error. */
export class SessionStepsError extends Error {
  constructor(cause: unknown) {
    super("steps of the session were not committed", { cause });
  }
}

/**
 * The part of a memory that can be compared with the rows: they do not have which owner announced a tool call, and
 * others may have written something for the agent since.
 */
function comparable({
  timeline,
  steering: _unread,
  evidence: _new,
  inboxSeq: _read,
  ...memory
}: AgentMemory): object {
  return { ...memory, timeline: { ...timeline, announced: new Set(timeline.announced.keys()) } };
}
