import { expect } from "chai";
import { parseExactJson } from "#shared/exact-json.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import { ReactSections } from "../react-parser/react-sections.ts";

/** Returns the next number in [0, 1) of a seeded sequence. */
export type Random = () => number;

const PIECES = [
  ..."Thought:|Action:|Action Input:|Final Answer:|Observation:|[Based on|Thought|Action|Final Answer".split(
    "|",
  ),
  ..."**Thought:** |**Action**: |### Action Input:|**Final Answer:|### Final Answer\n|1. Action: |- **Thought:** ".split(
    "|",
  ),
  ..."\n|\n|\n|\n\n|\r\n| |  |\t|. |! |?|...|*|**|***|`|```|```json\n|\n```\n|:|#|##|-|1.|2)|_|[|{|}|\"|'|,|=".split(
    "|",
  ),
  ..."k8s.get_pods|srv.tool|get_pods|`k.a`|none|{}|\u0000|\uFEFF|\u2028|é|漢字|🚨|\uD83D|\uDEA8|x|word|text of it".split(
    "|",
  ),
  ...'Please specify|Error in reasoning|{"a": 1}|a: 1|a:\n  b: [1]|&a|*a|<<: *a|__proto__: 1|1e400|- |? '.split(
    "|",
  ),
  ..."\nThought: |\nAction: k.a|\nAction Input: {}|\nFinal Answer: |. Action: |. Final Answer: |. Action Input: ".split(
    "|",
  ),
  ..."ACTION: k.a|action|Thought |Thought about. |Actio|Final Ans|Action Inp|Obs".split("|"),
];

function pick<T>(random: Random, from: readonly T[]): T {
  const item = from[Math.floor(random() * from.length)];
  if (item === undefined) throw new RangeError("the list is empty");
  return item;
}

/** A random text of markers, parts of markers and other text. Each action input contains a unique word. */
export function randomText(random: Random): string {
  let text = "";
  const length = 1 + Math.floor(random() * 30);
  for (let at = 0; at < length; at += 1) {
    text += random() < 0.08 ? `\nAction Input: {"secret${at}": 1}` : pick(random, PIECES);
  }
  return text;
}

/** A text in the prescribed format, with harmless text in its sections. */
export function wellFormedText(random: Random): string {
  const words = [
    "look",
    "at. ",
    "the\n",
    "pods! ",
    " **now** ",
    "why?",
    "\n\n",
    "  - x",
    "漢字",
    "🚨",
    "Action ",
    "`a`",
    "1. b\n",
  ];
  const prose = (start: string) =>
    `${start}${Array.from({ length: Math.floor(random() * 12) }, () => pick(random, words)).join("")}`;
  const thought = `Thought: ${prose("t")}\n`;
  return random() < 0.5
    ? `${thought}Action: k8s.get_pods\nAction Input: ${prose("secret")}`
    : `${thought}${pick(random, ["", "**", "### "])}Final Answer: ${prose("f")}`;
}

/** A well-formed text with some characters removed, repeated or replaced by pieces. */
export function mutatedText(random: Random): string {
  let mutated = wellFormedText(random);
  for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) {
    const from = Math.floor(random() * (mutated.length + 1));
    const to = Math.min(mutated.length, from + Math.floor(random() * 8));
    const middle = pick(random, [
      () => "",
      () => mutated.slice(from, to).repeat(2),
      () => pick(random, PIECES),
    ])();
    mutated = mutated.slice(0, from) + middle + mutated.slice(to);
  }
  return mutated;
}

/** The live sections of a text in chunks of random length, or of one code unit without `random`. */
export function liveSections(text: string, random?: Random): { thought: string; finalAnswer: string } {
  const sections = new ReactSections();
  const released = { thought: "", finalAnswer: "" };
  const append = (deltas: ReturnType<ReactSections["push"]>) => {
    for (const { section, delta } of deltas) {
      released[section === "thought" ? "thought" : "finalAnswer"] += delta;
    }
  };
  for (let at = 0; at < text.length;) {
    const length = random === undefined ? 1 : 1 + Math.floor(random() * 12);
    append(sections.push(text.slice(at, at + length)));
    at += length;
  }
  append(sections.end());
  return released;
}

/** Checks the properties of the parse of any text. */
export function checkParse(text: string): void {
  const parsed = parseReact(text);
  const { thought, hasAction, action, actionInput, isFinalAnswer, finalAnswer, found } = parsed;
  expect([hasAction, isFinalAnswer, parsed.isMalformed].filter(Boolean)).to.have.length(1);
  for (const value of [thought, action, actionInput, finalAnswer]) expect(value).to.equal(value.trim());
  expect(action !== "").to.equal(hasAction);
  expect(finalAnswer !== "").to.equal(isFinalAnswer);
  if (!hasAction) expect(actionInput).to.equal("");
  if (hasAction) expect(found).to.include({ action: true, actionInput: true });
  if (isFinalAnswer) expect(found.finalAnswer).to.equal(true);
  if (thought !== "") expect(found.thought).to.equal(true);
  expect(parsed.isUnknownTool).to.equal(hasAction && !action.includes("."));
  expect(parsed.errorMessage !== "").to.equal(parsed.isMalformed || parsed.isUnknownTool);
  checkInput(actionInput);
  checkInput(text);
}

/** Checks that an input is parsed into a plain object that JSON can represent. */
export function checkInput(text: string): void {
  const parameters = parseActionInput(text);
  const again = parseExactJson(JSON.stringify(parameters));
  expect(Object.getPrototypeOf(parameters)).to.equal(Object.prototype);
  expect(JSON.stringify(again)).to.equal(JSON.stringify(parameters));
}

/** Checks the properties of the live sections of any text. */
export function checkLive(text: string, random: Random): void {
  const released = liveSections(text);
  expect(liveSections(text, random)).to.deep.equal(released);
  for (const [secret] of parseReact(text).actionInput.matchAll(/secret\d+/gu)) {
    expect(released.thought).not.to.contain(secret);
  }
}

/** Checks that the live sections of a well-formed text equal the result of `parseReact`. */
export function checkAgreement(text: string, random: Random): void {
  const { thought, finalAnswer, isMalformed } = parseReact(text);
  expect(isMalformed).to.equal(false);
  expect(liveSections(text, random)).to.deep.equal({ thought, finalAnswer });
}
