import { expect } from "chai";
import { parseScript } from "../providers/scripted/load-script.ts";

describe("parseScript", () => {
  for (const [what, text, words] of [
    [
      "a step without an action",
      "calls:\n  - steps:\n      - { chunk_size: 2 }\n",
      "s.yaml:3:9: calls[0].steps[0]: must have exactly one",
    ],
    [
      "a step with two actions",
      "calls:\n  - steps:\n      - text: a\n        thinking: b\n",
      "it has text and thinking",
    ],
    [
      "an unknown key",
      "calls:\n  - steps:\n      - text: a\n      - txt: b\n",
      "s.yaml:4:9: calls[0].steps[1].txt: is not a known key; did you mean text?",
    ],
    [
      "a misspelt action",
      "calls:\n  - steps:\n      - tool_cal: { name: a.b }\n",
      "s.yaml:3:9: calls[0].steps[0].tool_cal: is not a known key; did you mean tool_call?",
    ],
    [
      "a misspelt condition",
      "calls:\n  - when: { contain: x }\n    steps: []\n",
      "s.yaml:2:13: calls[0].when.contain: is not a known key; did you mean contains?",
    ],
    [
      "a wrong type",
      "calls:\n  - steps:\n      - tool_call:\n          name: 7\n",
      "s.yaml:4:17: calls[0].steps[0].tool_call.name: must be string",
    ],
    [
      "no duration",
      "calls:\n  - steps:\n      - delay: soon\n",
      's.yaml:3:9: calls[0].steps[0]: has delay "soon"',
    ],
    [
      "a chunk size on a delay",
      "calls:\n  - steps:\n      - { delay: 1s, chunk_size: 2 }\n",
      "go with text or thinking only",
    ],
    [
      "an unknown error code",
      "calls:\n  - steps:\n      - error: { code: oops }\n",
      "s.yaml:3:24: calls[0].steps[0].error.code: must be one of the allowed values",
    ],
    ["broken YAML", "calls:\n  - steps: [\n", "s.yaml:3:1: invalid YAML"],
    ["an alias of nothing", "calls: *none", "s.yaml:1:1: invalid YAML"],
    ["nothing", "", "s.yaml:1:1: must be object"],
    ["no calls", "calls: []", "s.yaml:1:8: calls: must NOT have fewer than 1"],
  ] as const) {
    it(`names file, line, column and key of ${what}`, () => {
      expect(() => parseScript("s.yaml", text)).to.throw(words);
    });
  }

  it("names all problems together, but not hundreds", () => {
    const steps = "      - txt: a\n".repeat(200);
    expect(() => parseScript("s.yaml", `calls:\n  - steps:\n${steps}`)).to.throw(
      /:3:9: .*\n.*:4:9: [^]*and 190 more$/u,
    );
  });
});
