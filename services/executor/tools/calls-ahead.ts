import { CancelledError } from "#shared/errors.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/** How a call ended, and the milliseconds that it took. */
export interface MadeCall {
  readonly outcome: ToolOutcome;
  readonly ms: number;
}

/**
 * Calls of an answer that run beside an earlier one of it, by their ids. Only this process knows them: to the next owner they
 * are calls that were announced, like any other. Disposal stops waiting for them; their runners go on.
 */
export class CallsAhead implements Disposable {
  readonly #calls = new Map<string, Promise<MadeCall>>();
  #stopped: AbortController | undefined;

  /** Begins a call, unless it was begun. */
  begin(callId: string, make: (signal: AbortSignal) => Promise<MadeCall>): void {
    if (this.#calls.has(callId)) return;
    this.#stopped ??= new AbortController();
    const call = make(this.#stopped.signal);
    // `take` returns the promise with its error; a call that is never taken must not count as an unhandled rejection.
    call.catch(() => undefined);
    this.#calls.set(callId, call);
  }

  /** The outcome of a call that was begun; undefined if it was not. */
  take(callId: string): Promise<MadeCall> | undefined {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    return call;
  }

  [Symbol.dispose](): void {
    this.#stopped?.abort(new CancelledError("shutdown", "the agent's steps have ended"));
    this.#calls.clear();
  }
}
