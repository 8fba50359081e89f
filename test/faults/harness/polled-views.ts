import { setTimeout as wait } from "node:timers/promises";
import { KeptViews } from "../../support/kept-views.ts";
import { errorMessage } from "#shared/errors.ts";
import type { FaultLab } from "./fault-lab.ts";
import type { ScenarioContext } from "./scenario.ts";

/** At equal distances among all: one that is looked at rarely shows few moments. */
const MAX_POLLED = 9;
const AWAY_MS = 50;

/** Keeps what sessions look like while they run, to compare it with their past later. */
export class PolledViews {
  readonly #views: ReadonlyMap<string, KeptViews>;
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;

  constructor(lab: FaultLab, sessions: readonly string[]) {
    const get = async (path: string): Promise<unknown> => {
      const response = await fetch(`${lab.system.api}${path}`);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    };
    const stride = Math.ceil(sessions.length / MAX_POLLED);
    const polled = sessions.filter((_id, at) => at % stride === 0);
    this.#views = new Map(polled.map((id) => [id, new KeptViews(get, id)]));
    this.#done = Promise.all([...this.#views.values()].map(async (views) => this.#poll(views)));
  }

  async #poll(views: KeptViews): Promise<void> {
    // The api may be the process that was killed.
    while (!this.#stop.signal.aborted) await views.keepIfStill().catch(async () => wait(AWAY_MS));
  }

  /** Stops looking, and checks that each kept view is what the api answers for its moment now. */
  async check({ expect, figure }: ScenarioContext): Promise<void> {
    this.#stop.abort();
    await this.#done;
    const different: string[] = [];
    for (const [id, views] of this.#views) {
      await views.check().catch((error: unknown) => different.push(`${id}: ${errorMessage(error)}`));
    }
    const moments = [...this.#views.values()].reduce((sum, views) => sum + views.moments.length, 0);
    expect(
      "views of many moments were kept",
      moments > this.#views.size,
      `${moments} of ${this.#views.size} sessions`,
    );
    figure("moments of which views were kept", moments, "");
    expect(
      "sessions look at each moment as they did then",
      different.length === 0,
      different.slice(0, 3).join("; "),
    );
  }
}
