const UNIT = String.raw`(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)(?![a-z])`;
const WAIT = new RegExp(
  String.raw`(?:(?:try again|retry) (?:in|after)|please wait(?: for)?) (?<wait>(?:\d{1,6}(?:\.\d{1,9})?\s?${UNIT}\s?){1,4})`,
  "iu",
);
const PART = new RegExp(String.raw`(?<number>[\d.]+)\s?(?<unit>${UNIT})`, "giu");

/**
 * The delay in a rate limit's text, in milliseconds; undefined if it states none. OpenAI, Azure, Groq and others write
 * "try again in 20s", "in 6m0s", "in 250ms" or "retry after 20 seconds", often without a Retry-After header.
 */
export function parseWaitText(text: string): number | undefined {
  const wait = WAIT.exec(text)?.groups?.["wait"];
  if (wait === undefined) return undefined;
  let ms = 0;
  for (const { groups } of wait.matchAll(PART)) {
    ms += Number(groups?.["number"]) * unitMs(groups?.["unit"]?.toLowerCase() ?? "");
  }
  return Math.ceil(ms);
}

function unitMs(unit: string): number {
  if (unit.startsWith("ms") || unit.startsWith("milli")) return 1;
  if (unit.startsWith("s")) return 1_000;
  if (unit.startsWith("d")) return 86_400_000;
  return unit.startsWith("m") ? 60_000 : 3_600_000;
}
