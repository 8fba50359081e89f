import { once } from "node:events";
import { readTimeScale } from "#shared/contracts/durations.ts";
import type { Environment } from "#shared/service/environment.ts";
import { TerminalError, coerceError, errorMessage } from "#shared/errors.ts";
import { EXIT_MISCONFIGURED, exitCodeOf } from "#shared/service/exit-codes.ts";
import { logLineMask } from "#shared/masking/mask-by-rules.ts";
import { createLogger, type Logger } from "#shared/service/logger.ts";
import type { ServiceConfig } from "#shared/service/service-config.ts";
import { shutdownSignal } from "#shared/service/shutdown-signal.ts";
import { untilStarted } from "#shared/service/until-started.ts";
import { startTelemetry } from "#shared/telemetry/start-telemetry.ts";
import { logIds } from "#shared/telemetry/tracing.ts";

/** The input of `start`. */
export interface ServiceContext<C> {
  readonly config: C;
  readonly log: Logger;
  /** Aborts when the service must stop, or its start has broken off. */
  readonly signal: AbortSignal;
  /** Released last-in first-out after the stop. */
  readonly resources: AsyncDisposableStack;
}

/** The process exits after this time even if resources are not released: the leases of its sessions must expire. */
const RELEASE_LIMIT_MS = 20_000;

/**
 * The body of every `main.ts`: loads the configuration, runs `start` (which returns once the service serves), again if a dependency
 * goes away meanwhile, waits for the stop signal and releases the resources. Exit code 0 after an orderly stop, 78 for an invalid configuration or
 * a database that this process must not use, 1 after any other failure; a failure is logged here, once, as one sentence.
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
      const settings = config.telemetry;
      if (settings !== undefined) {
        const environment = process.env;
        resources.use(await startTelemetry({ service, settings, log, environment }));
      }
      await untilStarted({ log, signal, resources }, async (attempt) => start({ config, log, ...attempt }));
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
    process.exit(exitCodeOf(error));
  }
}

/** Loads the configuration. If that fails, the log format is not known and is taken from the environment directly. */
async function configure<C extends ServiceConfig>(
  service: string,
  loadConfig: (env: Environment) => C | Promise<C>,
): Promise<{ config: C; log: Logger }> {
  try {
    readTimeScale();
    const config = await loadConfig(process.env);
    return {
      config,
      log: await createLogger({
        service,
        ...config.log,
        mask: logLineMask(config.knownSecrets),
        ...(config.telemetry === undefined ? {} : { fields: logIds }),
      }),
    };
  } catch (error) {
    const isPretty = process.env["LOG_FORMAT"] === "pretty" || process.stdout.isTTY;
    const log = await createLogger({ service, level: "info", format: isPretty ? "pretty" : "json" });
    log.fatal({ code: error instanceof TerminalError ? error.code : undefined }, errorMessage(error));
    return process.exit(EXIT_MISCONFIGURED);
  }
}
