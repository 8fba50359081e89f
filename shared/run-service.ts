import { once } from "node:events";
import type { Environment } from "#shared/environment.ts";
import { coerceError, errorMessage } from "#shared/errors.ts";
import { EXIT_MISCONFIGURED } from "#shared/exit-codes.ts";
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
 * for the stop signal and releases what was opened. Exit code 0 after an orderly stop, 78 for a configuration that
 * cannot be used, 1 after any other failure; either is logged here, once, as one sentence.
 */
export async function runService<C extends ServiceConfig>(
  service: string,
  loadConfig: (env: Environment) => C | Promise<C>,
  start: (context: ServiceContext<C>) => Promise<void>,
): Promise<void> {
  const { config, log } = await configure(service, loadConfig);
  try {
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

/** Before the configuration is known, its logger's format is not either: the environment's own word is taken for it. */
async function configure<C extends ServiceConfig>(
  service: string,
  loadConfig: (env: Environment) => C | Promise<C>,
): Promise<{ config: C; log: Logger }> {
  try {
    const config = await loadConfig(process.env);
    return { config, log: createLogger({ service, ...config.log }) };
  } catch (error) {
    const isPretty = process.env["LOG_FORMAT"] === "pretty" || process.stdout.isTTY;
    const log = createLogger({ service, level: "info", format: isPretty ? "pretty" : "json" });
    log.fatal(errorMessage(error));
    return process.exit(EXIT_MISCONFIGURED);
  }
}
