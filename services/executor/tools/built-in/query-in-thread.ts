import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { TextAnswer } from "./select-json.ts";
import type { TextTask } from "./text-worker.ts";

/** For the work itself, from when the thread runs. */
const LIMITS_MS = { regex: 1_000, other: 10_000 } as const;
/** A JSON value takes several times the memory of its text. */
const MAX_HEAP_MB = 384;
/** A task has up to 16 MiB of text, which is there several times. */
const inTurn = pLimit(2);

const SOURCE = new URL("text-worker.ts", import.meta.url);
/** In a bundle, all modules are in one folder. */
const BUNDLED = new URL("text-worker.mjs", import.meta.url);

const parseMessage = compileParser(
  "answer of the text thread",
  Type.Union([Type.Literal("started"), Type.Object({ content: Type.String(), isError: Type.Boolean() })]),
);

/**
 * Answers a question about a text in a thread of its own, which is ended when it takes too long: a regular expression may take
 * for ever, and a large text would stop everything else of the process. At most two at a time. Throws the signal's reason
 * once it aborts.
 */
export async function queryInThread(
  load: () => Promise<TextTask | null>,
  signal: AbortSignal,
): Promise<TextAnswer | null> {
  const work = inTurn(async () => {
    signal.throwIfAborted();
    const task = await load();
    return task === null ? null : runThread(task, signal);
  });
  // While it waits for its turn, nothing else watches the signal.
  return untilAborted(work, signal);
}

async function runThread(task: TextTask, signal: AbortSignal): Promise<TextAnswer> {
  const { query } = task;
  const limitMs = query.kind === "search" && query.isRegex ? LIMITS_MS.regex : LIMITS_MS.other;
  const worker = new Worker(existsSync(SOURCE) ? SOURCE : BUNDLED, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  const ended = new AbortController();
  try {
    return await new Promise<TextAnswer>((resolve, reject) => {
      const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      signal.addEventListener("abort", onAbort, { once: true, signal: ended.signal });
      worker.on("message", (message: unknown) => {
        const parsed = parseMessage(message);
        if (parsed !== "started") {
          resolve(parsed);
          return;
        }
        timer = setTimeout(() => resolve(tooLong(query.kind, limitMs)), limitMs);
      });
      worker.on("error", (error: unknown) => resolve(failedThread(error)));
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

function tooLong(kind: TextTask["query"]["kind"], limitMs: number): TextAnswer {
  const advice = kind === "search" ? "; use a simpler pattern, or one that is no regular expression" : "";
  return { content: `This took more than ${limitMs / 1_000} s and was given up${advice}.`, isError: true };
}

function failedThread(error: unknown): TextAnswer {
  return { content: `The result could not be read: ${errorMessage(error)}.`, isError: true };
}
