import { partTexts } from "./result-text.ts";

/**
 * The result of a call as texts. The library refuses a result as a whole for one part that it does not know; a call that
 * was answered must not count as one without an answer.
 */
export function readableResult(result: object): Record<string, unknown> {
  const { resultType, content, structuredContent, isError, ...others }: Record<string, unknown> = {
    ...result,
  };
  // Results of other kinds, and what is no result of a call at all, are for the library.
  if (content === undefined && structuredContent === undefined) return { ...result };
  if (resultType !== undefined && resultType !== "complete") return { ...result };
  if (Object.keys(others).some((name) => OF_OTHER_RESULTS.has(name))) return { ...result };
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content ?? []].flat();
  return {
    ...(resultType === undefined ? {} : { resultType }),
    // Part by part: a value that is split between two is masked where they are joined.
    content: partTexts({ content: [...parts], structuredContent }).map((text) => ({ type: "text", text })),
    isError: isError === true || isError === "true",
  };
}

const OF_OTHER_RESULTS = new Set(["task", "inputRequests", "requestState"]);
