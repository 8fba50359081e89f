import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { TextAnswer } from "./select-json.ts";
import { TextThreadError, runTextThread } from "./text-thread.ts";
import type { TextTask } from "./text-worker.ts";

const LIMITS_MS = { regex: 1_000, other: 10_000 } as const;

type QueryTask = Extract<TextTask, { readonly kind: "query" }>;

const parseAnswer = compileParser(
  "answer of the text thread",
  Type.Object({ content: Type.String(), isError: Type.Boolean() }),
);

/** Answers a question about a text in a thread of its own; null if `load` finds no text. Throws the signal's reason once it aborts. */
export async function queryInThread(
  load: () => Promise<QueryTask | null>,
  signal: AbortSignal,
): Promise<TextAnswer | null> {
  let isSearch = false;
  const withLimit = async () => {
    const task = await load();
    if (task === null) return null;
    const { query } = task;
    isSearch = query.kind === "search";
    return { task, limitMs: query.kind === "search" && query.isRegex ? LIMITS_MS.regex : LIMITS_MS.other };
  };
  try {
    const answer = await runTextThread(withLimit, signal);
    return answer === null ? null : parseAnswer(answer);
  } catch (error) {
    if (!(error instanceof TextThreadError)) throw error;
    const advice = isSearch ? "; use a simpler pattern, or one that is no regular expression" : "";
    const content = error.isTooLong
      ? `${error.message}${advice}.`
      : `The result could not be read: ${error.message}.`;
    return { content, isError: true };
  }
}
