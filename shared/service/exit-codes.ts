/**
 * Exit code of a service whose environment or configuration is invalid (EX_CONFIG of sysexits.h). A restart cannot
 * help, so a supervisor must not try one.
 */
export const EXIT_MISCONFIGURED = 78;
