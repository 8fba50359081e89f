import { withoutNulls } from "./readable-messages.ts";
import { partTexts } from "./result-text.ts";

/**
 * The result of a call as texts, numbers with all their digits; undefined for a result of another kind, and for what is no result of a
 * call at all. The library refuses a result as a whole for one part that it does not know; a call that was answered must not
 * count as one without an answer.
 */
export function readableResult(result: Readonly<Record<string, unknown>>): object | undefined {
  const { resultType, content, structuredContent, isError, ...others } = result;
  if (!("content" in result || "structuredContent" in result)) return undefined;
  if ((resultType ?? "complete") !== "complete") return undefined;
  const isOther = Object.entries(others).some(
    ([name, value]) => value !== null && OF_OTHER_RESULTS.has(name),
  );
  if (isOther) return undefined;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content ?? []].flat();
  return {
    // Part by part: a value that is split between two is masked where they are joined.
    content: partTexts({ content: parts.map((part) => withoutNulls(part)), structuredContent }).map(
      (text) => ({ type: "text", text }),
    ),
    isError: isError === true || isError === "true",
  };
}

const OF_OTHER_RESULTS = new Set(["task", "inputRequests", "requestState"]);
