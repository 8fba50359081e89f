import { DiagLogLevel, diag } from "@opentelemetry/api";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import type { Logger } from "#shared/service/logger.ts";

const EVERY_MS = 60_000;
const MAX_CHARS = 300;

/** Logs what OpenTelemetry's SDK reports, such as a collector that does not answer: at most one line a minute. */
export function reportTelemetryFailures(log: Logger): void {
  let loggedAt = -Infinity;
  let suppressed = 0;
  const report = (error: string) => {
    if (performance.now() - loggedAt < EVERY_MS) {
      suppressed += 1;
      return;
    }
    loggedAt = performance.now();
    log.warn({ error: error.slice(0, MAX_CHARS), suppressed }, "traces are not sent completely");
    suppressed = 0;
  };
  const nothing = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler((error) =>
    report(typeof error === "string" ? error : (error.message ?? error.name ?? "unknown")),
  );
}
