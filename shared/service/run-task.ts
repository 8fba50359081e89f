import { coerceError, errorMessage } from "#shared/errors.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import type { Environment } from "#shared/service/environment.ts";
import { EXIT_MISCONFIGURED, exitCodeOf } from "#shared/service/exit-codes.ts";
import { createLogger, type Logger } from "#shared/service/logger.ts";
import { configDirectory, logSettings } from "#shared/service/service-config.ts";
import { untilStarted } from "#shared/service/until-started.ts";
import { shutdownSignal } from "#shared/service/shutdown-signal.ts";

/** The input of a task. */
interface TaskContext<C> {
  readonly config: C;
  readonly log: Logger;
  /** Aborts when the task must stop. */
  readonly signal: AbortSignal;
}

/**
 * The body of a `main.ts` that does one thing and ends: reads the environment over `<config-dir>/.env` and runs `work`, again if the
 * database goes away meanwhile. Exit
 * code 0 when it is done, 78 for an invalid configuration or a schema that it cannot use, 1 after any other failure or a stop; a
 * failure is logged here, once, as one sentence.
 */
export async function runTask<C>(
  name: string,
  readConfig: (env: Environment) => C,
  work: (context: TaskContext<C>) => Promise<void>,
): Promise<void> {
  const { config, log } = await configure(name, readConfig);
  try {
    const signal = shutdownSignal(log);
    // Postgres rolls back what is not committed once the connection is gone.
    signal.addEventListener("abort", () => process.exit(1));
    await using resources = new AsyncDisposableStack();
    await untilStarted({ log, signal, resources }, async (attempt) => work({ config, log, ...attempt }));
    process.exit(0);
  } catch (error) {
    const { message, stack } = coerceError(error);
    log.fatal({ stack: log.isLevelEnabled("debug") ? stack : undefined }, message);
    process.exit(exitCodeOf(error));
  }
}

async function configure<C>(
  name: string,
  readConfig: (env: Environment) => C,
): Promise<{ readonly config: C; readonly log: Logger }> {
  try {
    const env = readConfigEnvironment(configDirectory(process.env), process.env);
    return { config: readConfig(env), log: await createLogger({ service: name, ...logSettings(env) }) };
  } catch (error) {
    const isPretty = process.env["LOG_FORMAT"] === "pretty" || process.stdout.isTTY;
    const log = await createLogger({ service: name, level: "info", format: isPretty ? "pretty" : "json" });
    log.fatal(errorMessage(error));
    return process.exit(EXIT_MISCONFIGURED);
  }
}
