import { isDeepStrictEqual } from "node:util";
import { TerminalError } from "#shared/errors.ts";
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
 * only one who writes what it holds. Dropped on any doubt. Call its methods under the session's commit mutex.
 */
export class SessionMemory {
  readonly #options: SessionMemoryOptions;
  #state: SessionState | undefined;
  #generation = 0;

  constructor(options: SessionMemoryOptions) {
    this.#options = options;
  }

  /** Rises whenever memory was dropped; what was read before may be out of date. */
  get generation(): number {
    return this.#generation;
  }

  async state(): Promise<SessionState> {
    this.#state ??= await this.#options.load();
    return this.#state;
  }

  /** Adds what a step has committed; `inboxSeq` is the newest entry of the session's inbox. */
  async fold(steps: readonly StepRows[], inboxSeq: number): Promise<void> {
    if (this.#state === undefined) return;
    this.#state = steps.reduce(foldSession, this.#state);
    // Others have written rows of this session: only its owner's are known here.
    if (inboxSeq !== this.#state.inboxSeq) return this.drop();
    if (this.#options.verifies) throwIfDifferent("session", await this.#options.load(), this.#state);
  }

  drop(): void {
    this.#state = undefined;
    this.#generation += 1;
  }
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
