import { expect } from "chai";
import { compileArgumentsCheck } from "../check-arguments.ts";
import { fitArguments } from "../fit-arguments.ts";
import { parseArguments } from "../parse-arguments.ts";

const SCHEMA = {
  type: "object",
  required: ["needed", "page", "nothing"],
  properties: {
    number: { type: "number" },
    integer: { type: "integer" },
    flag: { type: "boolean" },
    text: { type: "string" },
    list: { type: "array" },
    integers: { type: "array", items: { type: "integer" } },
    object: { type: "object", properties: { limit: { $ref: "#/$defs/limit" } } },
    objects: { type: "array", items: { type: "object", properties: { flag: { type: "boolean" } } } },
    maybe: { type: ["integer", "null"] },
    optional: { anyOf: [{ type: "integer" }, { type: "null" }], default: null },
    either: { oneOf: [{ type: "string" }, { type: "integer" }] },
    level: { enum: [1, 2] },
    free: {},
    "a/b": { $ref: "#/properties/integer" },
    loop: { anyOf: [{ $ref: "#/properties/loop" }, { type: "integer" }] },
    odd: { $ref: "#/%" },
    needed: { type: "string" },
    page: { type: "integer", default: 1 },
    nothing: { type: "null" },
  },
  $defs: { limit: { type: "integer" } },
};
/** What stands for a member that is left out. */
const OUT = Symbol("left out");

describe("fitArguments", () => {
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ["number", "1.5", 1.5],
    ["integer", " 20 ", 20],
    ["integer", "5.0", 5],
    ["integer", "1.5", "1.5"],
    ["integer", "many", "many"],
    ["integer", "", OUT],
    ["integer", "None", OUT],
    ["flag", "null", OUT],
    ["text", "null", "null"],
    ["page", "", OUT],
    ["flag", "True", true],
    ["flag", "yes", "yes"],
    ["text", 20, "20"],
    ["text", true, "true"],
    ["text", "20", "20"],
    ["text", '{"a":1}', '{"a":1}'],
    ["list", '["a", 2]', ["a", 2]],
    ["list", "a", ["a"]],
    ["list", 2, [2]],
    ["list", "", ""],
    ["integers", ["1", 2], [1, 2]],
    ["integers", "5", [5]],
    ["integers", "[1,2]", [1, 2]],
    ["object", '{"limit": "1"}', { limit: 1 }],
    ["object", { limit: null, other: null }, { other: null }],
    ["objects", { flag: "false" }, [{ flag: false }]],
    ["maybe", "null", null],
    ["maybe", null, null],
    ["maybe", "3", 3],
    ["optional", null, null],
    ["optional", "3", 3],
    ["either", "3", "3"],
    ["either", 3, 3],
    ["level", "2", 2],
    ["free", "3", "3"],
    ["free", null, null],
    ["unknown", null, null],
    ["constructor", "3", "3"],
    ["a/b", "3", 3],
    ["loop", "3", 3],
    ["integer", null, OUT],
    ["list", null, OUT],
    ["page", null, OUT],
    ["needed", null, null],
    ["nothing", null, null],
  ];
  for (const [name, value, expected] of cases) {
    it(`makes ${JSON.stringify(value)} ${expected === OUT ? "nothing" : JSON.stringify(expected)} as ${name}`, () => {
      const wanted = expected === OUT ? {} : { [name]: expected };
      expect(fitArguments({ [name]: value }, SCHEMA)).to.deep.equal(wanted);
    });
  }

  it("leaves out null as a member that the schema does not know only where no such member is allowed", () => {
    const args = { integer: 1, other: null };
    expect(fitArguments(args, { ...SCHEMA, additionalProperties: false })).to.deep.equal({ integer: 1 });
    expect(fitArguments(args, SCHEMA)).to.deep.equal(args);
  });

  it("keeps all digits", () => {
    const args = parseArguments('{"integer":"1764163864123456789","text":9007199254740993,"number":"1e400"}');
    const fitted = fitArguments(typeof args === "string" ? {} : args, SCHEMA);
    expect(JSON.stringify(fitted)).to.equal(
      '{"integer":1764163864123456789,"text":"9007199254740993","number":1e400}',
    );
    const check = compileArgumentsCheck(
      '{"properties":{"integer":{"type":"integer"},"number":{"type":"number"}}}',
    );
    expect(check(fitted)).to.equal(undefined);
    expect(check({ integer: JSON.rawJSON("0.10000000000000000555") })).to.contain("must be integer");
  });

  it("leaves everything as it is without a usable schema", () => {
    for (const schema of [undefined, true, [], { properties: [] }, { properties: { a: { $ref: "#/%" } } }]) {
      expect(fitArguments({ a: "1", b: null }, schema)).to.deep.equal({ a: "1", b: null });
    }
  });
});

describe("parseArguments", () => {
  it("reads what can mean one object only", () => {
    const same = [
      '{"a":1}',
      '{}{"a":1}',
      '{} \n{"a":1}{ }',
      '{"a":1}{"a":1}',
      JSON.stringify('{"a":1}'),
      JSON.stringify(JSON.stringify('{"a":1}')),
      '```json\n{"a":1}\n```',
      '~~~\n{"a":1}~~~',
    ];
    for (const text of same) expect(parseArguments(text), text).to.deep.equal({ a: 1 });
    for (const text of ["", " ", "{}", "{}{}", "null", '"{}"']) {
      expect(parseArguments(text)).to.deep.equal({});
    }
    expect(parseArguments('{"a":"}{\\"","b":{}}')).to.deep.equal({ a: '}{"', b: {} });
  });

  it("refuses what means two things, or none", () => {
    for (const text of ['{"a":1}{"a":2}', '{"a":1', '{"a":1} and', "{a:1}", '{}{"a":1', '"x"']) {
      expect(parseArguments(text), text).to.be.a("string").that.contains("not valid JSON");
    }
    for (const text of ["[]", "5", "true", '[{"a":1}]']) {
      expect(parseArguments(text), text).to.equal("The arguments must be a JSON object.");
    }
  });
});
