import { expect } from "chai";
import { parseReact, type ParsedReact } from "../react-parser/parse-react.ts";

/** A parse without its message and its found flags. */
export type ExpectedParse = Omit<ParsedReact, "errorMessage" | "found">;

/** What a case is called, the model's text, and what is expected of it. */
export type ReactCase = readonly [name: string, text: string, expected: ExpectedParse];

const NOTHING: ExpectedParse = {
  thought: "",
  hasAction: false,
  action: "",
  actionInput: "",
  isFinalAnswer: false,
  finalAnswer: "",
  isUnknownTool: false,
  isMalformed: false,
};

export const calls = (action: string, actionInput: string, thought = ""): ExpectedParse => ({
  ...NOTHING,
  hasAction: true,
  action,
  actionInput,
  thought,
});

export const callsUnknown = (action: string, actionInput: string, thought = ""): ExpectedParse => ({
  ...calls(action, actionInput, thought),
  isUnknownTool: true,
});

export const answers = (finalAnswer: string, thought = ""): ExpectedParse => ({
  ...NOTHING,
  isFinalAnswer: true,
  finalAnswer,
  thought,
});

export const isMalformed = (thought = ""): ExpectedParse => ({ ...NOTHING, isMalformed: true, thought });

/** Declares a test for each case: its parse, and that a message comes with what is wrong and only with that. */
export function declareCases(cases: readonly ReactCase[]): void {
  for (const [name, text, expected] of cases) {
    it(name, () => {
      const { errorMessage, found, ...parsed } = parseReact(text);
      expect(parsed).to.deep.equal(expected);
      expect(errorMessage !== "").to.equal(expected.isMalformed || expected.isUnknownTool);
      if (expected.hasAction) expect(found).to.include({ action: true, actionInput: true });
      if (expected.isFinalAnswer) expect(found.finalAnswer).to.equal(true);
      if (expected.thought !== "") expect(found.thought).to.equal(true);
    });
  }
}
