import type { ToolDescription } from "#shared/contracts/tool-list.ts";

/** What a match of a word of the query is worth, by the place of the word in the tool's definition. */
const NAME = 4;
const DESCRIPTION = 1;
/** Shorter words match only themselves. */
const MIN_STEM = 3;

/**
 * The tools that match a query, best first, and in the given order where they match equally: those that it names come first, then
 * those with most of its words in the parts of the name and in the description. A word matches another that begins with it.
 */
export function findTools(query: string, tools: readonly ToolDescription[]): ToolDescription[] {
  const asked = [...new Set(wordsOf(query))];
  const named = new Set(query.split(/[\s,;"'`]+/u));
  return tools
    .map((tool) => ({ tool, score: named.has(tool.name) ? Number.MAX_VALUE : scoreOf(asked, tool) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => (one.score === other.score ? 0 : other.score - one.score))
    .map(({ tool }) => tool);
}

function scoreOf(asked: readonly string[], { name, description }: ToolDescription): number {
  const parts = wordsOf(name);
  const words = [...new Set(wordsOf(description))];
  return asked.reduce(
    (sum, word) =>
      sum +
      (parts.includes(word) ? 2 * NAME : matches(word, parts) ? NAME : 0) +
      (matches(word, words) ? DESCRIPTION : 0),
    0,
  );
}

function matches(word: string, words: readonly string[]): boolean {
  return words.some((other) => {
    const [short, long] = word.length < other.length ? [word, other] : [other, word];
    return short === long || (short.length >= MIN_STEM && long.startsWith(short));
  });
}

/** The words of a text in lower case; `getIssue` and `get_issue` are two. */
function wordsOf(text: string): string[] {
  const parted = text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").toLowerCase();
  return parted.match(/[\p{L}\p{N}]+/gu) ?? [];
}
