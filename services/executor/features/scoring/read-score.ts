import type { JudgedScore } from "../../core/agent-state.ts";
import { FAILURE_TAGS, MAX_SCORE } from "#shared/contracts/scoring.ts";

/** A message of the judge's conversation. */
interface Reply {
  readonly role: string;
  readonly content: string;
}

/** Anything that looks as if it were meant as a score. */
const NUMBER_LINE = /^[-+]?\d+(?:[.,]\d+)?\s*(?:%|\/\s*\d+)?$/u;
const SCORE_LINE = /^\d{1,3}$/u;
const TAG_LINE = /^\W*TAGS\W*:(?<tags>.*)$/iu;

/**
 * The score in the last line of a judge's reply, which must be a bare whole number from 0 to 100; null if it is not.
 * The rest of the reply does not matter.
 */
export function scoreIn(reply: string): number | null {
  const last = linesOf(reply).at(-1) ?? "";
  const score = SCORE_LINE.test(last) ? Number(last) : NaN;
  return score <= MAX_SCORE ? score : null;
}

/**
 * The judgement in the conversation of a judge, null until a reply has a valid score. The analysis is the text before
 * the score, or, where the reply is the bare number, that of the first reply with any. Tags are read from a line of
 * tags alone: a tag that the analysis mentions, perhaps to deny it, does not count.
 */
export function judgedScore(messages: readonly Reply[]): JudgedScore | null {
  const replies = messages.flatMap(({ role, content }) => (role === "assistant" ? [content] : []));
  const at = replies.findIndex((reply) => scoreIn(reply) !== null);
  const scored = replies[at];
  const total_score = scored === undefined ? null : scoreIn(scored);
  if (scored === undefined || total_score === null) return null;
  const analysed = [scored, ...replies.slice(0, at)].find((reply) => analysisIn(reply) !== "") ?? "";
  return {
    total_score,
    score_analysis: analysisIn(analysed),
    failure_tags: tagsIn(scored) ?? tagsIn(analysed) ?? [],
    tool_improvement_report: replies[at + 1] ?? null,
  };
}

/** The reply of a judge after its report, in which it draws lessons; null before. */
export function lessonsIn(messages: readonly Reply[]): string | null {
  const replies = messages.filter(({ role }) => role === "assistant");
  const at = replies.findIndex(({ content }) => scoreIn(content) !== null);
  return at === -1 ? null : (replies[at + 2]?.content ?? null);
}

/** How many replies without a valid score a conversation has before the first with one. */
export function repliesWithoutScore(messages: readonly Reply[]): number {
  const replies = messages.filter(({ role }) => role === "assistant");
  const at = replies.findIndex(({ content }) => scoreIn(content) !== null);
  return at === -1 ? replies.length : at;
}

function linesOf(reply: string): string[] {
  return reply
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Without the lines for programs. */
function analysisIn(reply: string): string {
  const lines = reply.trimEnd().split("\n");
  if (NUMBER_LINE.test(lines.at(-1)?.trim() ?? "")) lines.pop();
  return lines
    .filter((line) => !TAG_LINE.test(line.trim()))
    .join("\n")
    .trim();
}

/** Undefined without such a line. */
function tagsIn(reply: string): string[] | undefined {
  const line = linesOf(reply).findLast((one) => TAG_LINE.test(one));
  if (line === undefined) return undefined;
  const named = new Set(
    (TAG_LINE.exec(line)?.groups?.["tags"] ?? "")
      .split(",")
      .map((tag) => tag.replaceAll(/[^\w]/gu, "").toLowerCase()),
  );
  return FAILURE_TAGS.filter((tag) => named.has(tag));
}
