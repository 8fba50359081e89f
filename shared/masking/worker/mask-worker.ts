import { parentPort, workerData } from "node:worker_threads";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { maskByRules } from "#shared/masking/mask-by-rules.ts";
import type { MaskJob, MaskJobResult, MaskWorkerData } from "#shared/masking/worker/mask-job.ts";

/** The body of the worker thread: masks one text after the other. */
function serveJobs({ progress }: MaskWorkerData): void {
  let known: readonly string[] = [];
  const advance = () => void Atomics.add(progress, 0, 1);
  parentPort?.on("message", ({ id, text, rules, key, seen, seams, known: changed }: MaskJob) => {
    known = changed ?? known;
    let result: MaskJobResult;
    try {
      result = { id, masked: maskByRules(text, rules, { known, key, seen, seams, progress: advance }) };
    } catch (error) {
      // Leaves out the text: an error may quote it.
      result = { id, error: errorMessage(error).slice(0, 200) };
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage(result);
  });
}

/** Checks what the class that starts the worker has given it. */
function readWorkerData(data: unknown): MaskWorkerData {
  if (typeof data === "object" && data !== null && "progress" in data) {
    const { progress } = data;
    const isShared = progress instanceof Int32Array && progress.buffer instanceof SharedArrayBuffer;
    if (isShared) return { progress: new Int32Array(progress.buffer) };
  }
  throw new TerminalError("malformed", "the masking thread was started without its data");
}

serveJobs(readWorkerData(workerData));
