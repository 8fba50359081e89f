import { readFileSync } from "node:fs";
import { expect } from "chai";
import { parseCassette } from "../parse-cassette.ts";

const OLD = readFileSync(new URL("version-0.cassette.json", import.meta.url), "utf8");
const changed = (change: object) => JSON.stringify({ ...Object(JSON.parse(OLD)), ...change });

describe("parseCassette", () => {
  it("reads a cassette of an earlier version as one of this version", () => {
    const cassette = parseCassette(OLD);
    expect(cassette).to.include({ version: 1, written_by: "0.0.9" });
    expect(cassette.masked).to.deep.equal([]);
    expect(cassette.executions[0]?.memories).to.deep.equal([]);
    expect(cassette.executions[0]?.llm_calls.map(({ was_sent }) => was_sent)).to.deep.equal([true, true]);
  });

  for (const [what, text, message] of [
    ["no JSON", "{", /^the cassette cannot be read: it is not JSON \(/u],
    ["JSON of another kind", "[]", /^malformed cassette/u],
    ["another file", "{}", /its member "format" must be "tarsy-cassette"/u],
    [
      "a version that is no number",
      changed({ version: "1" }),
      /its member "version" must be a whole number/u,
    ],
    [
      "a newer version",
      changed({ version: 99 }),
      /has version 99, and this TARSy reads versions up to 1: use /u,
    ],
    ["a member of the wrong type", changed({ version: 1, texts: [] }), /^malformed cassette: /u],
  ] as const) {
    it(`says what is wrong with ${what}`, () => {
      expect(() => parseCassette(text)).to.throw(message);
    });
  }
});
