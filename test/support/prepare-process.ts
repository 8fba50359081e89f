import { enableCompileCache } from "node:module";
import { cpus } from "node:os";
import { join } from "node:path";
import { projectPaths } from "../../launcher/project-paths.ts";

const TIME_SCALE = "TARSY_TIME_SCALE";
const SAMPLE_MS = 400;

/**
 * True if other programs use more than half of the processors as this run begins: a process of a test may then wait for seconds until it
 * runs. False where the time scale is given, as the workers of a run have it.
 */
export const IS_BUSY = !(TIME_SCALE in process.env) && busyShare() > 0.5;

/**
 * Loaded by mocha before the tests: they need not wait as long as production does until a loss is noticed. The nightly run sets 1. More
 * than 4 would be brittle: an executor that is not given the processor for 2 s would stop its sessions; on a busy machine it gets twice
 * the time.
 */
process.env[TIME_SCALE] ??= IS_BUSY ? "2" : "4";

/** The share of the processors' time that is used now, from 0 to 1. */
function busyShare(): number {
  const before = processorTimes();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SAMPLE_MS);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) };
}

/** With it, a test file loads the executor's code in half of the CPU time. The processes that it starts are told of it where many of them run the same file. */
enableCompileCache(projectPaths(join(import.meta.dirname, "../..")).compileCache);
