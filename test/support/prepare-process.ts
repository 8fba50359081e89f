import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { projectPaths } from "../../launcher/project-paths.ts";

/**
 * Loaded by mocha before the tests: they need not wait as long as production does until a loss is noticed. The nightly run sets 1. More
 * than 4 would be brittle: an executor that is not given the processor for 2 s would stop its sessions.
 */
process.env["TARSY_TIME_SCALE"] ??= "4";

/** With it, a test file loads the executor's code in half of the CPU time. The processes that it starts are told of it where many of them run the same file. */
enableCompileCache(projectPaths(join(import.meta.dirname, "../..")).compileCache);
