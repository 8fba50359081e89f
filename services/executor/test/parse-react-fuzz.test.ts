import { NIGHTLY, repetitions, testSeed } from "../../../test/support/nightly.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
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
import { expectLinear } from "../../../test/support/expect-linear.ts";

const ROUNDS = repetitions({ daily: 300, nightly: 5_000 });

function fuzz(write: (random: Random) => string, check: (text: string, random: Random) => void): void {
  const seed = testSeed();
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
/** Characters of the shorter text: a quadratic parse of the longer one would take minutes. */
const SIZE = NIGHTLY ? 2 ** 16 : 2 ** 14;
const OPENINGS = ["", "Thought: ", "Final Answer: ", "Action: k.a\nAction Input: ", "Action Input: "];

describe("time", () => {
  const expectLinearParse = (work: (text: string) => unknown) => {
    for (const [at, fragment] of FRAGMENTS.entries()) {
      const opening = OPENINGS[at % OPENINGS.length] ?? "";
      const textOf = (size: number) => opening + fragment.repeat(size / fragment.length);
      expectLinear(JSON.stringify(opening + fragment), { size: SIZE, textOf, work });
    }
  };

  it("of the complete parse is linear in the text", () => {
    expectLinearParse((text) => void parseReact(text));
  });

  it("of the live sections is linear in the text", () => {
    expectLinearParse((text) => {
      const sections = new ReactSections();
      for (let at = 0; at < text.length; at += 7) sections.push(text.slice(at, at + 7));
      sections.end();
    });
  });

  it("of an action input is linear in the input", () => {
    expectLinearParse((text) => void JSON.stringify(parseActionInput(text)));
  });
});
