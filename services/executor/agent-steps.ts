import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { commitStep, type CommitKind } from "./persist/commit-step.ts";
import type { SessionWriter } from "./persist/session-writer.ts";
import type { StepRecord } from "./persist/step-record.ts";
import { foldAgent, type AgentMemory } from "./state/agent-memory.ts";
import { loadAgent } from "./state/load-agent.ts";
import { throwIfDifferent } from "./state/session-memory.ts";

interface AgentStepsOptions {
  readonly session: SessionWriter & { readonly verifiesState: boolean };
  readonly memory: AgentMemory;
  /** Steps of the session that precede the agent's first one and are committed with it. */
  readonly before: readonly StepRecord[];
}

/**
 * The steps of a running agent. Those that need nothing from outside are committed together with the outcome before them,
 * so that there is one commit for each call of a model or a tool, not one for each step.
 */
export class AgentSteps {
  readonly #session: AgentStepsOptions["session"];
  readonly #generation: number;
  /** Until the steps of the session that came with the agent are committed. */
  #holdsSessionSteps: boolean;
  #memory: AgentMemory;
  #pending: StepRecord[];
  #onCommitted: (() => void)[] = [];

  constructor({ session, memory, before }: AgentStepsOptions) {
    this.#session = session;
    this.#memory = memory;
    this.#pending = [...before];
    this.#holdsSessionSteps = before.length > 0;
    this.#generation = session.memory.generation;
  }

  /** What the agent's rows say after the steps so far, committed or not. */
  get memory(): AgentMemory {
    return this.#memory;
  }

  /** Steps that are not committed yet. */
  get pending(): readonly StepRecord[] {
    return this.#pending;
  }

  /** True if others may have written the agent's rows since they were read. */
  get isOutOfDate(): boolean {
    return this.#session.memory.generation !== this.#generation;
  }

  /** Adds a step; `committed` is called once it is stored. */
  add(step: StepRecord, committed?: () => void): void {
    // As it will be stored: what is in memory must not differ from the rows.
    const safe = postgresSafeValue(step);
    this.#pending.push(safe);
    this.#memory = foldAgent(this.#memory, safe.rows);
    if (committed !== undefined) this.#onCommitted.push(committed);
  }

  /**
   * Commits the steps that are not stored yet. Throws what `commitStep` throws, as the cause of a SessionStepsError if the
   * session's own steps were among them; the object is of no use afterwards.
   */
  async commit(kind: CommitKind = "step"): Promise<void> {
    const [steps, callbacks] = [this.#pending, this.#onCommitted];
    if (steps.length === 0) return;
    this.#pending = [];
    this.#onCommitted = [];
    try {
      await commitStep(this.#session, steps, kind);
    } catch (error) {
      throw this.#holdsSessionSteps ? new SessionStepsError(error) : error;
    }
    this.#holdsSessionSteps = false;
    for (const committed of callbacks) committed();
    if (!this.#session.verifiesState) return;
    const stored = await loadAgent(this.#session.db, this.#memory.executionId);
    throwIfDifferent("agent", comparable(stored), comparable(this.#memory));
  }
}

/** Steps of the session could not be committed with those of its agent; the cause is the error. */
export class SessionStepsError extends Error {
  constructor(cause: unknown) {
    super("steps of the session were not committed", { cause });
  }
}

/** Who announced a tool call is known in memory only. */
function comparable({ timeline, ...memory }: AgentMemory): object {
  return { ...memory, timeline: { ...timeline, announced: new Set(timeline.announced.keys()) } };
}
