/**
 * Exit code of a service whose environment or configuration is invalid, or that cannot use the database's schema
 * (EX_CONFIG of sysexits.h). A restart cannot help, so a supervisor must not try one.
 */
export const EXIT_MISCONFIGURED = 78;

/** The code of the TerminalError that ends a service with this exit code while it starts. */
export const UNUSABLE_SCHEMA = "unusable_schema";
