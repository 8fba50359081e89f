import { TerminalError } from "#shared/errors.ts";

/**
 * Exit code of a service whose environment or configuration is invalid, or that must not use its database
 * (EX_CONFIG of sysexits.h). A restart cannot help, so a supervisor must not try one.
 */
export const EXIT_MISCONFIGURED = 78;

/** The codes of the TerminalErrors that end a service with this exit code while it starts. */
export const UNUSABLE_SCHEMA = "unusable_schema";
export const OTHER_TIME_SCALE = "other_time_scale";

/** The exit code of a service whose start or work has failed. */
export function exitCodeOf(error: unknown): number {
  const isUnusable =
    error instanceof TerminalError && (error.code === UNUSABLE_SCHEMA || error.code === OTHER_TIME_SCALE);
  return isUnusable ? EXIT_MISCONFIGURED : 1;
}
