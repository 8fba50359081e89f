import { expect } from "chai";
import { parseReact, type ParsedReact } from "../react-parser/parse-react.ts";

/** A parse result without the error message and the found flags. */
type ExpectedParse = Omit<ParsedReact, "errorMessage" | "found">;

/** A case: its name, the model's text and the expected result. */
type ReactCase = readonly [name: string, text: string, expected: ExpectedParse];

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

export const callsTool = (action: string, actionInput: string, thought = ""): ExpectedParse => ({
  ...NOTHING,
  hasAction: true,
  action,
  actionInput,
  thought,
});

export const callsUnknown = (action: string, actionInput: string, thought = ""): ExpectedParse => ({
  ...callsTool(action, actionInput, thought),
  isUnknownTool: true,
});

export const answers = (finalAnswer: string, thought = ""): ExpectedParse => ({
  ...NOTHING,
  isFinalAnswer: true,
  finalAnswer,
  thought,
});

export const isMalformed = (thought = ""): ExpectedParse => ({ ...NOTHING, isMalformed: true, thought });

/** Declares one test per case: the parse result, and an error message only for malformed text and unknown tools. */
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
