/**
 * How a service ends when its environment or configuration is wrong (EX_CONFIG of sysexits.h): starting it again cannot
 * help, so whoever supervises it gives up at once.
 */
export const EXIT_MISCONFIGURED = 78;
