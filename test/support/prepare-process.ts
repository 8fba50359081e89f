/**
 * Loaded by mocha before the tests: they need not wait as long as production does until a loss is noticed. The nightly run sets 1. More
 * than 4 would be brittle: an executor that is not given the processor for 2 s would stop its sessions.
 */
process.env["TARSY_TIME_SCALE"] ??= "4";
