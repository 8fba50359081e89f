import { AsyncLocalStorage } from "node:async_hooks";
import type { McpFailure } from "../mcp-failure.ts";

/** One `tools/call` on its way over HTTP: the facts that the client library does not report. */
export class CallInFlight {
  /** The response is a stream of events: the answer may come after its headers. */
  isStreamed = false;
  readonly #failed = Promise.withResolvers<never>();
  readonly #closing = new AbortController();

  constructor() {
    this.#failed.promise.catch(() => undefined); // it may reject when no caller waits any more
  }

  /** Rejects when the call can get no answer any more. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** Aborts when the response is to be closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  fail(failure: McpFailure): void {
    this.#failed.reject(failure);
  }

  /** Closes the response, which releases its socket and notifies the server. */
  close(): void {
    this.#closing.abort(new Error("the call is over"));
  }
}

/** The call whose request is being sent. */
export const callInFlight = new AsyncLocalStorage<CallInFlight>();
