/** Longer names are no tool's. */
const MAX_LENGTH = 500;
/** Control tokens of chat templates, whole or cut off, tags, what names a recipient, the number that some models add, blanks. */
const AROUND =
  /<[|｜][^<>]{0,60}[|｜]>|<[|｜].*|<\/?[\w:-]{1,40}>|\[\/?[A-Z_]{3,40}\]|\bto=|:\d{1,4}(?=\s|<|$)|["'`\s]+/gu;
/** The prefixes that templates and SDKs put before the names of functions. */
const PREFIX = /^(?:call:)?(?:functions?|tools?|default_api)[.:]/iu;

/**
 * The parts of a tool's name, as a model wrote it, that may be the name: without the control tokens of its chat template
 * (`get_pods<|channel|>commentary`, `<|tool_call|>get_pods`) and without a prefix (`functions.get_pods`).
 */
export function toolNameParts(written: string): string[] {
  return written
    .slice(0, MAX_LENGTH)
    .split(AROUND)
    .map((part) => part.replace(PREFIX, ""))
    .filter((part) => part !== "");
}
