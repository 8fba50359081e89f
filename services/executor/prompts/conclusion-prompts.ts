import {
  CAUSE_KINDS,
  MAX_CHARS,
  MAX_ENTRIES,
  STATED_STATUSES,
  type CheckedClaim,
  type ConclusionNames,
} from "#shared/contracts/conclusion.ts";
import { hasHandles, type ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { type SessionNonce, untrustedText } from "./untrusted-text.ts";

/** The parts of a system prompt about what shows a conclusion; none for an agent whose results are not quoted. */
export function conclusionSections(agent: Pick<ResolvedAgent, "conclusion" | "quoted">): string[] {
  if (!hasHandles(agent)) return [];
  return [agent.conclusion === undefined ? CITATION_SECTION : CONCLUSION_SECTION];
}

const CONCLUSION_SECTION = `## Your Conclusion

Before your answer, call \`tarsy.conclude\`. Each claim quotes the words that show it, exactly as they stand in one result, and names that result by the name at its beginning, such as r7. Quote one line or a part of it; put … where you leave something out, and keep every "no" and "not". A program compares the quotes with the results, and the reader sees which were not found. An error shows nothing but itself. State \`confirmed\` only if results show the cause itself, \`likely\` if they fit it, and otherwise \`inconclusive\`, which is a good answer. Say what you ruled out and what is missing. Then answer as usual.`;

const CITATION_SECTION = `## Quoting Results

Each result of a tool has a name, such as r7. Where your answer rests on a result, name it and quote its words exactly.`;

const text = (description: string) => ({ type: "string", description });
const oneOf = (values: readonly string[], description: string) => ({
  type: "string",
  enum: values,
  description,
});
const object = (properties: Record<string, object>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const list = (items: object, description: string) => ({ type: "array", items, description });
const CITATION = {
  source: text('the name of the result that shows it, such as "r7"; "alert" or "runbook" for those'),
  lines: text('the lines of the quote if they are known, such as "12" or "12-14"; otherwise ""'),
  quote: text(`the words of that result, at least 8 and at most ${MAX_CHARS.quote} characters`),
};

/** The longest list of names as JSON that becomes an enum: about 200 of them. Longer ones stand in the instructions only. */
const MAX_ENUM_CHARS = 8_000;
const NO_NAMES: ConclusionNames = { codes: [], categories: [], entities: [] };

function named(names: readonly string[], description: string): object {
  const isShort = names.length > 0 && JSON.stringify(names).length <= MAX_ENUM_CHARS;
  return isShort ? oneOf([...names, ""], description) : text(description);
}

/**
 * The schema of the tool's arguments: no part that a provider could refuse. Limits are kept by the program that reads them, and
 * a name that is none of `names` is read, too.
 */
export const conclusionSchema = ({ codes, categories, entities }: ConclusionNames = NO_NAMES) =>
  object({
    status: oneOf(STATED_STATUSES, "confirmed: results show the cause itself; likely: they fit it"),
    summary: text(`what happened, in at most ${MAX_CHARS.summary} characters`),
    confidence: { type: "integer", description: "how sure you are of the first cause, from 0 to 100" },
    causes: list(
      object({
        entity: named(entities, 'what is at fault, as "kind/name", such as "deployment/cart"'),
        kind: oneOf(CAUSE_KINDS, "none: nothing is wrong"),
        ...(categories.length === 0
          ? {}
          : { category: named(categories, "the code of the cause's category") }),
        code: named(codes, 'the code of the cause if the task lists codes; otherwise ""'),
        statement: text("the cause in one or two sentences"),
      }),
      `the most probable first, at most ${MAX_ENTRIES.causes}`,
    ),
    claims: list(
      object({
        id: text('"c1", "c2" and so on'),
        cause: {
          type: "integer",
          description: "the place in causes of the cause that it supports, from 1; 0 for none",
        },
        text: text("what the quote shows"),
        ...CITATION,
      }),
      `what your conclusion rests on, at most ${MAX_ENTRIES.claims}; what rests on two results is two claims`,
    ),
    ruled_out: list(
      object({ theory: text("what it could have been"), because: text("why it was not"), ...CITATION }),
      `at most ${MAX_ENTRIES.ruled_out}`,
    ),
    gaps: list({ type: "string" }, `what could not be found out, at most ${MAX_ENTRIES.gaps}`),
    next_checks: list(
      { type: "string" },
      `what a person should look at next, at most ${MAX_ENTRIES.next_checks}`,
    ),
  });

const MEMBERS = `{"status": ${STATED_STATUSES.map((one) => `"${one}"`).join(" | ")}, "summary": text, "confidence": 0 to 100,
 "causes": [{"entity": "kind/name", "kind": ${CAUSE_KINDS.join(" | ")}, "code": text or "", "statement": text}],
 "claims": [{"id": "c1", "cause": 1, "text": what the quote shows, "source": "r7", "lines": "12" or "", "quote": exact words}],
 "ruled_out": [{"theory": text, "because": text, "source": "r7", "lines": "", "quote": exact words}],
 "gaps": [text], "next_checks": [text]}`;

/** The user message that asks for the conclusion after an answer without one. `names` are the results that may be quoted. */
export function conclusionRequest(names: string, { categories }: ConclusionNames = NO_NAMES): string {
  const members =
    categories.length === 0 ? MEMBERS : MEMBERS.replace('"code": ', '"category": text, "code": ');
  return `Your answer is stored. State now what it concludes as data: call \`tarsy.conclude\` once, or, if you cannot call tools, reply with nothing but one JSON object in a \`\`\`json fence with these members:

${members}

Each claim quotes the words that show it, exactly as they stand in one result, and names that result${names}. A program compares the quotes with the results. Use [] and "" for nothing. State \`confirmed\` only if results show the cause itself, \`likely\` if they fit it, otherwise \`inconclusive\`.`;
}

/** What a model reads about its checked conclusion. `mayRepeat`: it may correct it once. */
export function checkReport(
  checked: readonly CheckedClaim[],
  { mayRepeat, remarks, nonce }: CheckedReport,
): string {
  const failing = checked.filter(({ outcome }) => outcome !== "verified" && outcome !== "unchecked");
  const found = `${checked.length - failing.length} of ${checked.length} quotes were found.`;
  const lines = [found, ...remarks];
  if (failing.length === 0) return [...lines, "Give your answer now."].join("\n");
  if (!mayRepeat) {
    return [...lines, "The others are marked for the reader. Give your answer now."].join("\n");
  }
  return [
    ...lines,
    ...failing.map((claim) => failure(claim, nonce)),
    "Correct or drop these, and call tarsy.conclude once more with the whole conclusion.",
  ].join("\n");
}

interface CheckedReport {
  readonly mayRepeat: boolean;
  /** What was corrected when it was read. */
  readonly remarks: readonly string[];
  readonly nonce: SessionNonce;
}

function failure(
  { claim_id: id, outcome, source, line_from, at_text, found_in }: CheckedClaim,
  nonce: SessionNonce,
): string {
  const elsewhere = found_in === null ? "" : ` ${found_in} has these words.`;
  if (source === null) return `- ${id}: there is no such result.${elsewhere}`;
  switch (outcome) {
    case "altered": {
      const at = line_from === null ? "" : ` at line ${line_from}`;
      const says =
        at_text === null ? "." : `. It says${at}:\n${untrustedText(nonce, "TOOL_OUTPUT", at_text)}`;
      return `- ${id}: ${source} does not have these words${says}${elsewhere}`;
    }
    case "error_result":
      return `- ${id}: ${source} is an error, which shows nothing but itself.`;
    case "other_session":
      return `- ${id}: ${source} is of another session.`;
    default:
      return `- ${id}: ${source} does not have these words.${elsewhere}`;
  }
}
