import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "#shared/errors.ts";
import type { ServerProcess } from "./server-process.ts";
import { type Backoff, pauseAfter } from "./supervise-service.ts";

export type KeptServer = Pick<ServerProcess, "stop">;

type KeepServer = {
  /** For people. */
  readonly name: string;
  /** Runs already. */
  readonly first: ServerProcess;
  /** Starts it again on the same data and port. */
  readonly start: (signal: AbortSignal) => Promise<ServerProcess>;
  readonly progress: (line: string) => void;
  readonly backoff?: Pick<Backoff, "firstMs" | "maxMs" | "healthyMs">;
};

const defaultBackoff = { firstMs: 250, maxMs: 10_000, healthyMs: 30_000 };

/**
 * Keeps an embedded server running until `stop`: one that ends by itself is started again, on the same data and port,
 * so that the services find it where it was. Both are told.
 */
export function keepServer(options: KeepServer): KeptServer {
  const stopRequest = new AbortController();
  let server = options.first;
  const kept = keep(options, stopRequest.signal, (next) => (server = next));
  return {
    stop: async (force) => {
      stopRequest.abort();
      await server.stop(force);
      await kept;
      await server.stop(force); // the one that was being started at that moment
    },
  };
}

async function keep(
  { name, first, start, progress, backoff = defaultBackoff }: KeepServer,
  stop: AbortSignal,
  replace: (server: ServerProcess) => void,
): Promise<void> {
  let deaths = 0;
  let server: ServerProcess | undefined = first;
  while (true) {
    const startedAt = performance.now();
    const reason: string = server === undefined ? "it does not start" : await server.exited;
    if (stop.aborted) return;
    if (performance.now() - startedAt >= backoff.healthyMs) deaths = 0;
    deaths += 1;
    const pause = pauseAfter(deaths, { ...backoff, maxQuickDeaths: Infinity });
    progress(`${name} ended unexpectedly (${reason}); starting it again in ${(pause / 1_000).toFixed(1)} s`);
    await delay(pause, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    try {
      server = await start(stop);
      replace(server);
      progress(`${name} is back`);
    } catch (error) {
      if (stop.aborted) return;
      server = undefined;
      progress(errorMessage(error));
    }
  }
}
