import { once } from "node:events";
import type { Environment } from "#shared/environment.ts";
import { coerceError } from "#shared/errors.ts";
import { createLogger, type Logger } from "#shared/logger.ts";
import type { ServiceConfig } from "#shared/service-config.ts";
import { shutdownSignal } from "#shared/shutdown-signal.ts";

/** What a service's body gets: its configuration, a scoped logger, the stop signal and the stack to release by. */
export interface ServiceContext<C> {
  readonly config: C;
  readonly log: Logger;
  /** Aborts when the service is to stop. */
  readonly signal: AbortSignal;
  /** Released last-in first-out after the stop. */
  readonly resources: AsyncDisposableStack;
}

/** Everything must be released by then, or the process ends anyway: the lease of a lost session must expire in time. */
const RELEASE_LIMIT_MS = 20_000;

/**
 * The frame of every `main.ts`: loads the configuration, runs `start` (which returns once the service serves), waits
 * for the stop signal and releases what was opened. Exit code 0 after an orderly stop, 1 after a failure, which is
 * logged here, once, as one sentence.
 */
export async function runService<C extends ServiceConfig>(
  service: string,
  loadConfig: (env: Environment) => C | Promise<C>,
  start: (context: ServiceContext<C>) => Promise<void>,
): Promise<void> {
  let log = createLogger({ service, level: "info", format: process.stdout.isTTY ? "pretty" : "json" });
  try {
    const config = await loadConfig(process.env);
    log = createLogger({ service, ...config.log });
    const signal = shutdownSignal(log);
    const resources = new AsyncDisposableStack();
    try {
      await start({ config, log, signal, resources });
      log.info("serving");
      if (!signal.aborted) await once(signal, "abort");
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      setTimeout(() => {
        log.error({ limit_ms: RELEASE_LIMIT_MS }, "resources were not released in time: exiting");
        process.exit(1);
      }, RELEASE_LIMIT_MS).unref();
      await resources.disposeAsync();
    }
    log.info("stopped");
    process.exit(0);
  } catch (error) {
    const { message, stack } = coerceError(error);
    log.fatal({ stack: log.isLevelEnabled("debug") ? stack : undefined }, message);
    process.exit(1);
  }
}
