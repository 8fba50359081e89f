import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { TextTask } from "./text-worker.ts";

/** Values of JSON and divided texts take several times the memory of their text. */
const MAX_HEAP_MB = 384;
/** A task has up to 16 MiB of text, which is there several times. */
const inTurn = pLimit(2);

const SOURCE = new URL("text-worker.ts", import.meta.url);
/** In a bundle, all modules are in one folder. */
const BUNDLED = new URL("text-worker.mjs", import.meta.url);

const parseMessage = compileParser(
  "message of the text thread",
  Type.Union([Type.Literal("started"), Type.Object({ answer: Type.Unknown() })]),
);

/** The task took too long, or failed in its thread. */
export class TextThreadError extends Error {
  readonly isTooLong: boolean;

  constructor(message: string, isTooLong: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTooLong = isTooLong;
  }
}

interface Work {
  readonly task: TextTask;
  /** For the work itself, from when the thread runs. */
  readonly limitMs: number;
}

/**
 * Works on large texts in a thread of its own, which is ended when it takes too long: a regular expression may take for ever, and a
 * large text would stop everything else of the process. At most two at a time; `load` is called at its turn. Returns the worker's
 * answer, null if `load` does. Throws TextThreadError, RetryableError if the thread ends, and the signal's reason.
 */
export async function runTextThread(load: () => Promise<Work | null>, signal: AbortSignal): Promise<unknown> {
  const work = inTurn(async () => {
    signal.throwIfAborted();
    const loaded = await load();
    return loaded === null ? null : runThread(loaded, signal);
  });
  // While it waits for its turn, nothing else watches the signal.
  return untilAborted(work, signal);
}

async function runThread({ task, limitMs }: Work, signal: AbortSignal): Promise<unknown> {
  const worker = new Worker(existsSync(SOURCE) ? SOURCE : BUNDLED, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  const ended = new AbortController();
  try {
    return await new Promise<unknown>((resolve, reject) => {
      const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      signal.addEventListener("abort", onAbort, { once: true, signal: ended.signal });
      worker.on("message", (message: unknown) => {
        const parsed = parseMessage(message);
        if (parsed !== "started") {
          resolve(parsed.answer);
          return;
        }
        const late = new TextThreadError(`This took more than ${limitMs / 1_000} s and was given up`, true);
        timer = setTimeout(() => reject(late), limitMs);
      });
      worker.on("error", (cause: unknown) =>
        reject(new TextThreadError(errorMessage(cause), false, { cause })),
      );
      worker.on("exit", () =>
        reject(new RetryableError("text_thread", "the thread that reads results ended")),
      );
    });
  } finally {
    clearTimeout(timer);
    ended.abort();
    await worker.terminate();
  }
}
