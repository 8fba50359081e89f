import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { TelemetrySettings } from "#shared/telemetry/telemetry-settings.ts";
import { setTracing } from "#shared/telemetry/tracing.ts";

/** Queued data is sent within this time at the stop, or lost: an unavailable collector must not delay the stop. */
const FLUSH_LIMIT_MS = 2_000;

interface TelemetryOptions {
  readonly service: string;
  readonly settings: TelemetrySettings;
  readonly log: Logger;
  /** The process's own, into which the variables go that the exporter reads there. */
  readonly environment: Record<string, string | undefined>;
}

/**
 * Switches tracing on for this process. Disposal sends the spans that are left, within two seconds. Nothing of OpenTelemetry is
 * loaded before this is called.
 */
export async function startTelemetry({
  service,
  settings,
  log,
  environment,
}: TelemetryOptions): Promise<AsyncDisposable> {
  // Those of `<config-dir>/.env` and of files, too.
  Object.assign(environment, settings.variables);
  const { openTracing } = await import("#shared/telemetry/open-tracing.ts");
  const tracing = openTracing(service, settings, log);
  setTracing(tracing);
  if (settings.capturesContent) log.warn("traces contain what models and tools say, masked");
  log.info({ sampler: settings.sampler.name }, "traces are sent");
  return {
    [Symbol.asyncDispose]: async () => {
      setTracing(undefined);
      const limit = Promise.withResolvers<void>();
      const timer = setTimeout(
        () => limit.reject(new Error("the collector does not answer")),
        FLUSH_LIMIT_MS,
      );
      try {
        await Promise.race([tracing.shutdown(), limit.promise]);
      } catch (error) {
        log.warn({ error: errorMessage(error) }, "the last spans were not sent");
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
