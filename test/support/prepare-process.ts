import { enableCompileCache } from "node:module";
import { cpus } from "node:os";
import { join } from "node:path";
import { projectPaths } from "../../launcher/project-paths.ts";

const TIME_SCALE = "TARSY_TIME_SCALE";
/** Samples of this length: one in which the processors rest says that a run has them for itself. */
const SAMPLE_MS = 250;
const SAMPLES = 4;

/**
 * True if other programs use more than half of the processors all the time as this run begins: a process of a test may then wait for
 * seconds until it runs. False where the time scale is given, as the workers of a run have it.
 */
export const IS_BUSY =
  !(TIME_SCALE in process.env) && Array.from({ length: SAMPLES }).every(() => busyShare() > 0.5);

/**
 * Loaded by mocha before the tests: they need not wait as long as production does until a loss is noticed. The nightly run sets 1. More
 * than 4 would be brittle: an executor that is not given the processor for 2 s would stop its sessions; on a busy machine it gets twice
 * the time.
 */
process.env[TIME_SCALE] ??= IS_BUSY ? "2" : "4";

/**
 * The share of the processors' time that programs compute now, from 0 to 1, without those that give way to others (`nice`), as what
 * `.ci/run` installs meanwhile does, and without the kernel, which mostly writes files then.
 */
function busyShare(): number {
  const [startedAt, before] = [performance.now(), usedMs()];
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SAMPLE_MS);
  return (usedMs() - before) / ((performance.now() - startedAt) * cpus().length);
}

function usedMs(): number {
  return cpus().reduce((sum, { times: { user } }) => sum + user, 0);
}

/** With it, a test file loads the executor's code in half of the CPU time. The processes that it starts are told of it where many of them run the same file. */
enableCompileCache(projectPaths(join(import.meta.dirname, "../..")).compileCache);
