import type { TarsyClient } from "../support/tarsy-client.ts";
import { until } from "../support/until.ts";
import { followToEnd, type Followed } from "./follow-to-end.ts";

/** An accepted session and what its client received. */
interface LoadedSession {
  readonly id: string;
  readonly followed: Promise<Followed>;
}

/** Submits alerts and follows each session on a socket. */
export class Load {
  readonly #client: TarsyClient;
  readonly #ws: string;
  readonly sessions: LoadedSession[] = [];
  /** The number of submissions that failed and were repeated. */
  refused = 0;

  constructor(client: TarsyClient, ws: string) {
    this.#client = client;
    this.#ws = ws;
  }

  /** Submits one alert, and repeats it until it is accepted. */
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
    // expectWhole awaits it.
    followed.catch(() => undefined);
    this.sessions.push({ id, followed });
  }

  /** Submits alerts while `work` runs, at most `ahead` unfinished at a time. */
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
