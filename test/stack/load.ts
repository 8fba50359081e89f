import type { TarsyClient } from "../support/tarsy-client.ts";
import { until } from "../support/until.ts";
import { followToEnd, type Followed } from "./follow-to-end.ts";

/** A session that was accepted, and what a client saw of it. */
export interface LoadedSession {
  readonly id: string;
  readonly followed: Promise<Followed>;
}

/** Alerts that keep coming, each followed on a socket, while something happens to the system. */
export class Load {
  readonly #client: TarsyClient;
  readonly #ws: string;
  readonly sessions: LoadedSession[] = [];
  /** Submissions that were told to come back later. */
  refused = 0;

  constructor(client: TarsyClient, ws: string) {
    this.#client = client;
    this.#ws = ws;
  }

  /** One alert, tried until it is accepted. */
  async submit(data: string, type: string): Promise<void> {
    const id = await until(
      "the alert is accepted",
      () =>
        this.#client.submit(data, { alert_type: type }).catch((error: unknown) => {
          this.refused++;
          throw error;
        }),
      120_000,
    );
    const followed = followToEnd(this.#ws, id);
    // Looked at when the load is over.
    followed.catch(() => undefined);
    this.sessions.push({ id, followed });
  }

  /** Submits one alert after the other while `work` runs, at most `ahead` of them unfinished. */
  async during(work: () => Promise<void>, type: string, ahead: number): Promise<void> {
    const state = { done: false, running: 0 };
    const working = work().finally(() => (state.done = true));
    working.catch(() => undefined);
    while (!state.done) {
      await until("fewer alerts are unfinished", () => state.done || state.running < ahead, 300_000);
      await this.submit(`load ${this.sessions.length}`, type);
      state.running++;
      void this.sessions
        .at(-1)
        ?.followed.catch(() => undefined)
        .finally(() => state.running--);
    }
    await working;
  }
}
