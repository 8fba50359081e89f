import { expect } from "chai";
import { coerceArguments } from "../tools/coerce-arguments.ts";

const SCHEMA = JSON.stringify({
  properties: {
    number: { type: "number" },
    integer: { type: "integer" },
    flag: { type: "boolean" },
    text: { type: "string" },
    list: { type: "array" },
    object: { type: "object" },
    maybe: { type: ["integer", "null"] },
    free: {},
  },
});

describe("coerceArguments", () => {
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ["number", "1.5", 1.5],
    ["integer", " 20 ", 20],
    ["integer", "1.5", "1.5"],
    ["integer", "many", "many"],
    ["integer", "9007199254740993", "9007199254740993"],
    ["flag", "True", true],
    ["flag", "yes", "yes"],
    ["text", 20, "20"],
    ["text", true, "true"],
    ["text", "20", "20"],
    ["list", '["a", 2]', ["a", 2]],
    ["list", "a", ["a"]],
    ["list", 2, [2]],
    ["object", '{"a": 1}', { a: 1 }],
    ["maybe", "null", null],
    ["maybe", "3", 3],
    ["free", "3", "3"],
    ["unknown", "3", "3"],
    ["constructor", "3", "3"],
  ];
  for (const [name, value, expected] of cases) {
    it(`makes ${JSON.stringify(value)} ${JSON.stringify(expected)} as ${name}`, () => {
      expect(coerceArguments({ [name]: value }, SCHEMA)).to.deep.equal({ [name]: expected });
    });
  }

  it("leaves everything as it is without a usable schema", () => {
    for (const schema of ["", "no JSON", "true", "[]", '{"properties":[]}']) {
      expect(coerceArguments({ a: "1" }, schema)).to.deep.equal({ a: "1" });
    }
  });
});
