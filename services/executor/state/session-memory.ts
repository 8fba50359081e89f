import { isDeepStrictEqual } from "node:util";
import { TerminalError } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { StepRows } from "./step-rows.ts";
import { foldSession, type SessionState } from "./session-state.ts";

interface SessionMemoryOptions {
  /** Reads the state from the session's rows. */
  readonly load: () => Promise<SessionState>;
  /** Whether to read the state again after every step and to fail if it is not the one in memory; for tests. */
  readonly verifies: boolean;
}

/**
 * The state of an owned session, read once and then folded with each step that is committed: the fence makes its owner the
 * only one who writes what it holds, except the status of a cancel, at which the fence refuses. Dropped after
 * any failed commit. Call its methods under the session's commit mutex.
 */
export class SessionMemory {
  readonly #options: SessionMemoryOptions;
  #state: SessionState | undefined;
  #generation = 0;
  #subAgentsVersion = 0;
  readonly #waiting = new Set<() => void>();
  /** The newest entry of the inbox that was seen. */
  #inboxSeq: number | undefined;

  constructor(options: SessionMemoryOptions) {
    this.#options = options;
  }

  /** Rises whenever memory was dropped; what was read before may be out of date. */
  get generation(): number {
    return this.#generation;
  }

  /** Rises whenever a sub-agent may have been started, asked to stop or ended, or an execution has ended. */
  get subAgentsVersion(): number {
    return this.#subAgentsVersion;
  }

  /** Resolves once that version is another one; rejects with the signal's reason. */
  async untilSubAgentsChange(version: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (this.#subAgentsVersion === version) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      try {
        await untilAborted(promise, signal);
      } finally {
        this.#waiting.delete(resolve);
      }
    }
  }

  #subAgentsChanged(): void {
    this.#subAgentsVersion += 1;
    for (const resolve of this.#waiting) resolve();
  }

  async state(): Promise<SessionState> {
    if (this.#state !== undefined) return this.#state;
    const state = await this.#options.load();
    this.#noticeInbox(state.inboxSeq);
    this.#state = state;
    return state;
  }

  /** Adds what a step has committed; `inboxSeq` is the newest entry of the session's inbox. */
  async fold(steps: readonly StepRows[], inboxSeq: number): Promise<void> {
    if (this.#state !== undefined) this.#state = steps.reduce(foldSession, this.#state);
    this.#noticeInbox(inboxSeq);
    if (steps.some(concernsSubAgents)) this.#subAgentsChanged();
    if (!this.#options.verifies || this.#state === undefined) return;
    const stored = await this.#options.load();
    // The api records a cancel in the status; the fence tells the owner.
    const status = stored.status === "cancelling" ? this.#state.status : stored.status;
    // Others may have added an entry to the inbox since the commit; the next one notices it.
    const { inboxSeq: readInbox, followUps: readFollowUps } = this.#state;
    const followUps = stored.inboxSeq === readInbox ? stored.followUps : readFollowUps;
    throwIfDifferent("session", { ...stored, status, followUps, inboxSeq: readInbox }, this.#state);
  }

  /** Rows that were read before others wrote something for the owner are out of date. */
  #noticeInbox(inboxSeq: number): void {
    const isNew = this.#inboxSeq !== undefined && inboxSeq !== this.#inboxSeq;
    this.#inboxSeq = inboxSeq;
    if (isNew) this.drop();
  }

  drop(): void {
    this.#state = undefined;
    this.#generation += 1;
    this.#subAgentsChanged();
  }
}

function concernsSubAgents({ executions = [], executionChanges = [] }: StepRows): boolean {
  return (
    executions.some(({ parent_execution_id: parent }) => parent !== undefined) ||
    executionChanges.some(({ end, cancels }) => end !== undefined || cancels === true)
  );
}

/** Throws TerminalError `state_differs` unless what was read is what is in memory. */
export function throwIfDifferent(what: string, stored: object, inMemory: object): void {
  if (isDeepStrictEqual(stored, inMemory)) return;
  const [there, here] = [stored, inMemory].map((state) => JSON.stringify(state, asEntries));
  throw new TerminalError(
    "state_differs",
    `the state of the ${what} in memory is not the stored one:\n${here}\nstored:\n${there}`,
  );
}

function asEntries(_key: string, value: unknown): unknown {
  return value instanceof Map || value instanceof Set ? [...value] : value;
}
