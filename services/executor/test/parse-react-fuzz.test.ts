import { seededRandom } from "../../../test/support/seeded-random.ts";
import { expect } from "chai";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import { ReactSections } from "../react-parser/react-sections.ts";
import {
  checkAgreement,
  checkLive,
  checkParse,
  mutatedText,
  randomText,
  wellFormedText,
  type Random,
} from "./react-fuzz.ts";

const ROUNDS = 2000;

function fuzz(write: (random: Random) => string, check: (text: string, random: Random) => void): void {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const random = seededRandom(seed);
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = write(random);
    try {
      check(text, random);
    } catch (error) {
      throw new Error(`seed ${seed}, round ${round} ${JSON.stringify(text)}: ${String(error)}`, {
        cause: error,
      });
    }
  }
}

describe("any text", () => {
  it("is exactly one of an action, a final answer and malformed", () => {
    fuzz(randomText, checkParse);
  });

  it("is so after mutations of a well-formed text", () => {
    fuzz(mutatedText, checkParse);
  });

  it("has the same live sections however it is cut, without an action input in a thought", () => {
    fuzz((random) => (random() < 0.5 ? randomText(random) : mutatedText(random)), checkLive);
  });

  it("has live sections that equal the complete parse if it is well formed", () => {
    fuzz(wellFormedText, checkAgreement);
  });
});

const FRAGMENTS = [
  [
    "Action:",
    "Action Input:",
    "Final Answer:",
    "Thought:",
    "action ",
    ". Action: ",
    ".   ***",
    ". Final Answe",
    "?! ",
  ],
  [
    "Action: x\n",
    "Action:\n",
    "Action Input: x\n",
    "Action: k.a\nAction Input: {}\n",
    "Final Answer: \n",
    "Thought:\n\n",
  ],
  [
    "\n",
    " ",
    "\t \n",
    "*",
    "`",
    "#",
    "1. ",
    "- ",
    "```\n",
    "```",
    "**Action** ",
    "Observation: Please specify\n",
  ],
  ["[", "{", '{"a":', "a: ", "a:\n ", ",", "a=1,", "&a ", "*a ", "? ", "|\n", "'", '"', "\u0000", "\uD83D"],
].flat();
const OPENINGS = ["", "Thought: ", "Final Answer: ", "Action: k.a\nAction Input: ", "Action Input: "];

describe("time", () => {
  const measure = (work: () => void) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  /** A text of 16 times the size may take at most 80 times as long; quadratic time would be 256 times. */
  const expectLinear = (work: (text: string) => void) => {
    for (const [at, fragment] of FRAGMENTS.entries()) {
      const opening = OPENINGS[at % OPENINGS.length] ?? "";
      const text = (size: number) => opening + fragment.repeat(size / fragment.length);
      const [small, large] = [text(2 ** 16), text(2 ** 20)];
      const limit =
        Math.max(
          measure(() => work(small)),
          5,
        ) *
        16 *
        5;
      // Another process may have used the CPU: measures again before it fails.
      const isLinear = [1, 2, 3].some(() => measure(() => work(large)) < limit);
      expect(isLinear, JSON.stringify(opening + fragment)).to.equal(true);
    }
  };

  it("of the complete parse is linear in the text", () => {
    expectLinear((text) => void parseReact(text));
  }).timeout(300_000);

  it("of the live sections is linear in the text", () => {
    expectLinear((text) => {
      const sections = new ReactSections();
      for (let at = 0; at < text.length; at += 7) sections.push(text.slice(at, at + 7));
      sections.end();
    });
  }).timeout(300_000);

  it("of an action input is linear in the input", () => {
    expectLinear((text) => void JSON.stringify(parseActionInput(text)));
  }).timeout(300_000);
});
