import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "#shared/errors.ts";
import type { ServerProcess } from "../process/server-process.ts";
import { type Backoff, pauseAfter } from "./supervise-service.ts";

export type SupervisedServer = Pick<ServerProcess, "stop">;

type SuperviseServer = {
  /** Its name in messages. */
  readonly name: string;
  /** The running server. */
  readonly first: ServerProcess;
  /** Restarts it on the same data and port. */
  readonly start: (signal: AbortSignal) => Promise<ServerProcess>;
  readonly progress: (line: string) => void;
  readonly backoff?: Pick<Backoff, "firstMs" | "maxMs" | "healthyMs">;
};

const defaultBackoff = { firstMs: 250, maxMs: 10_000, healthyMs: 30_000 };

/**
 * Keeps an embedded server running until `stop`: a server that ends unexpectedly is restarted on the same data and port, so
 * that the services can reconnect. Both events are reported to `progress`.
 */
export function superviseServer(options: SuperviseServer): SupervisedServer {
  const stopRequest = new AbortController();
  let server = options.first;
  const supervision = supervise(options, stopRequest.signal, (next) => (server = next));
  return {
    stop: async (force) => {
      stopRequest.abort();
      await server.stop(force);
      await supervision;
      await server.stop(force); // a server that was being restarted
    },
  };
}

async function supervise(
  { name, first, start, progress, backoff = defaultBackoff }: SuperviseServer,
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
