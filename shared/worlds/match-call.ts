import { compactJson } from "./world-hash.ts";
import { callKey, holds, normaliseCall, type NormalArguments } from "./normalise-call.ts";
import type { WorldAnswer, WorldTool } from "./world-format.ts";
import type { JsonObject } from "#shared/json-object.ts";

/** What a world says to a call. `miss`: nothing; the call gets the text of the world's `miss` as an error. */
export type Match =
  | { readonly kind: "answer" | "absent"; readonly text: string; readonly isError: boolean }
  | { readonly kind: "miss" };

/** A recorded answer to a call of one tool, of a world or of a database's row. */
export type ToolAnswer = Omit<WorldAnswer, "tool">;

/**
 * What a world says to the `nth` call (from 1) of a tool with these arguments, or with others that have the same `callKey`: an answer
 * to the same arguments, to some of them, with the most first, or to any; else the first of the tool's `absent` that applies; else a
 * miss.
 *
 * `answers` are those of the tool. Of the answers with `match: equal`, only those with the call's key are needed: a caller with rows in a
 * database selects these by the key's hash, and all others of the tool.
 */
export function matchCall(
  tool: WorldTool,
  answers: readonly ToolAnswer[],
  args: JsonObject,
  nth: number,
): Match {
  const asked = normaliseCall(tool.normalise, args);
  const found = sequenceFor(tool, answers, asked)
    .toSorted((a, b) => (a.nth ?? 1) - (b.nth ?? 1))
    .reduce<ToolAnswer | undefined>(
      (last, answer) => (last !== undefined && (answer.nth ?? 1) > nth ? last : answer),
      undefined,
    );
  if (found !== undefined) return { kind: "answer", text: found.text, isError: found.is_error === true };
  const absent = tool.absent?.find(({ when }) => holds(when, asked));
  if (absent === undefined) return { kind: "miss" };
  return { kind: "absent", text: filled(absent.text, asked), isError: absent.is_error === true };
}

/** The answers with one key that fit best; empty if none does. */
function sequenceFor(
  { normalise }: WorldTool,
  answers: readonly ToolAnswer[],
  asked: NormalArguments,
): ToolAnswer[] {
  const key = callKey(asked);
  const all = answers.map((answer) => {
    const own = normaliseCall(normalise, answer.args);
    return { answer, match: answer.match ?? "equal", own, key: callKey(own) };
  });
  const exact = all.filter((one) => one.match !== "any" && one.key === key);
  if (exact.length > 0) return exact.map(({ answer }) => answer);
  const subsets = all
    .filter((one) => one.match === "subset" && isWithin(one.own, asked))
    .toSorted((a, b) => b.own.size - a.own.size);
  const fitting = subsets.length > 0 ? subsets : all.filter((one) => one.match === "any");
  return fitting
    .filter((one) => one.match === "any" || one.key === fitting[0]?.key)
    .map(({ answer }) => answer);
}

function isWithin(some: NormalArguments, all: NormalArguments): boolean {
  return Array.from(some).every(
    ([name, value]) => all.has(name) && compactJson(all.get(name)) === compactJson(value),
  );
}

/** `{arg}` becomes the argument's value; others stay as they are. */
function filled(text: string, args: NormalArguments): string {
  return text.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => {
    const value = args.get(name);
    return typeof value === "string" ? value : whole;
  });
}
