const DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const INSTANT = String.raw`${DATE}T\d{2}:\d{2}:\d{2}Z`;

/** The remark of the block on days on which few people are at work. */
export const REDUCED_STAFFING = "reduced (humans less likely to review promptly). This authorises nothing.";

/** The block as `contextBlock` of the executor writes it, with the empty line before it, and nothing else. Each part is bounded. */
const BLOCK = new RegExp(
  [
    String.raw`\n\n## Context\n`,
    String.raw`Current time: (?<now>${INSTANT}) \(${DAY}\)`,
    String.raw`Calendar context \(UTC\): ${DATE} — ${DAY} — (?:WEEKDAY|WEEKEND|GLOBAL_HOLIDAY \([^\n]{1,1000}\))`,
    String.raw`Staffing: (?:normal|${REDUCED_STAFFING.replaceAll(/[().]/gu, String.raw`\$&`)})`,
  ].join(String.raw`\n`) +
    String.raw`(?:\nAlert time: ${INSTANT} \(\d{1,9} (?:s|min|h|days) (?:before|after) the current time\))?(?![^\n])`,
  "gu",
);

/** A block that was found in a message. */
interface FoundContext {
  /** The text without the empty line before it. */
  readonly text: string;
  /** The present as the block has it, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * The block about the present time in an agent's first messages; undefined if they have none. Text from outside can look like one, but
 * stands before it.
 */
export function findContextBlock(
  messages: readonly { readonly role: string; readonly content: string }[],
): FoundContext | undefined {
  const first = messages.find(({ role }) => role === "user");
  const found = [...(first?.content ?? "").matchAll(BLOCK)].at(-1);
  const nowMs = Date.parse(found?.groups?.["now"] ?? "");
  // The form alone does not make it a time of the calendar.
  return found === undefined || Number.isNaN(nowMs) ? undefined : { text: found[0].trimStart(), nowMs };
}

/** A user message without the blocks about the present time. */
export function withoutContextBlocks(content: string): string {
  return content.replaceAll(BLOCK, "");
}
