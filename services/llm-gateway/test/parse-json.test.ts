import { expect } from "chai";
import { parseJson } from "../parse-json.ts";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe("parseJson", () => {
  it("reads what JSON.parse reads, and nothing of a text that only begins like it", () => {
    for (const value of [
      "{}",
      "[1]",
      '"x"',
      "0",
      "-1.5e+3",
      "1E9",
      "true",
      "false",
      "null",
      "{",
      "-",
      "1-2",
    ]) {
      for (const text of [value, ` \n\t${value}\r\n `, `${value} pods`, `\u00a0${value}`]) {
        expect(parseJson(text), text).to.deep.equal(parsed(text));
      }
    }
    for (const text of ["", " ", "2026-11-28 12:00 web-1", "[INFO] ok", "truth", "nullable", "NaN"]) {
      expect(parseJson(text), text).to.equal(undefined);
    }
  });
});
