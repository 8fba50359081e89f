import { readFileSync } from "node:fs";
import { expect } from "chai";
import { parseCassette } from "../parse-cassette.ts";

const STORED = readFileSync(new URL("other-prompts.cassette.json", import.meta.url), "utf8");
const changed = (change: object) => JSON.stringify({ ...Object(JSON.parse(STORED)), ...change });

const { stages, executions } = parseCassette(STORED);

describe("parseCassette", () => {
  for (const [what, text, message] of [
    [
      "200,000 levels",
      `{"format":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
      /^the cassette cannot be read: it is nested too deeply \(JSON may be nested 256 levels deep here/u,
    ],
    ["no JSON", "{", /^the cassette cannot be read: it is not JSON \(/u],
    ["JSON of another kind", "[]", /^malformed cassette/u],
    ["another file", "{}", /its member "format" must be "tarsy-cassette"/u],
    [
      "a version that is no number",
      changed({ version: "1" }),
      /its member "version" must be a whole number/u,
    ],
    [
      "another version",
      changed({ version: 99 }),
      /has version 99, and this TARSy reads version 1: use the TARSy that wrote it$/u,
    ],
    ["a text that cannot be stored", changed({ written_by: "a\0" }), /has the character NUL \(\\u0000\)/u],
    [
      "a stage that is there twice",
      changed({ stages: [...stages, ...stages] }),
      /: \/stages\/1\/stage_id: the id \S+ occurs twice$/u,
    ],
    [
      "a call that is there twice",
      changed({
        executions: executions.map((one) => ({
          ...one,
          llm_calls: one.llm_calls.flatMap((call) => [call, call]),
        })),
      }),
      /: \/executions\/0\/llm_calls\/1\/interaction_id: the id \S+ occurs twice$/u,
    ],
    [
      "an agent of no stage",
      changed({ stages: [] }),
      /: \/executions\/0\/stage_id: \S+ is no stage of \/stages$/u,
    ],
    [
      "a sub-agent of no agent",
      changed({
        executions: executions.map((one) => ({ ...one, parent_execution_id: stages[0]?.stage_id })),
      }),
      /: \/executions\/0\/parent_execution_id: \S+ is no execution of \/executions$/u,
    ],
    [
      "a number that no row can hold",
      changed({ stages: stages.map((one) => ({ ...one, stage_index: 2 ** 31 })) }),
      /^malformed cassette: .*stage_index/u,
    ],
    ["a member of the wrong type", changed({ version: 1, texts: [] }), /^malformed cassette: /u],
  ] as const) {
    it(`says what is wrong with ${what}`, () => {
      expect(() => parseCassette(text)).to.throw(message);
    });
  }
});
