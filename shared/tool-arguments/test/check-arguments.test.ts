import { expect } from "chai";
import { compileArgumentsCheck } from "../check-arguments.ts";

const POD = {
  type: "object",
  required: ["pod"],
  additionalProperties: false,
  properties: {
    pod: { type: "string", pattern: "^(a+)+$" },
    format: { enum: ["yaml", "json"] },
    lines: { type: "integer", minimum: 1 },
  },
};

describe("compileArgumentsCheck", () => {
  const problem = (args: Record<string, unknown>, schema: object = POD) =>
    compileArgumentsCheck(JSON.stringify(schema))(args);

  it("says where arguments are wrong and what is allowed", () => {
    expect(problem({ pod: "a", lines: 3 })).to.equal(undefined);
    expect(problem({ pod: 1, format: "xml", lines: 0 })).to.equal(
      "The arguments do not match the tool's parameters: arguments/pod must be string; " +
        'arguments/format must be one of ["yaml","json"]; arguments/lines must be >= 1. The call was not made.',
    );
    expect(problem({ name: "a" })).to.contain(
      `arguments must have required property 'pod'; arguments must not have "name"`,
    );
  });

  it("does not ask for what the server fills in", () => {
    const page = {
      type: "object",
      required: ["page", "size"],
      properties: { page: { default: 1 }, size: {} },
    };
    const schema = { type: "object", properties: { at: page }, required: ["at"] };
    expect(problem({ at: { size: 1 } }, schema)).to.equal(undefined);
    expect(problem({ at: {} }, schema)).to.contain("arguments/at must have required property 'size'");
    expect(problem({}, schema)).to.contain("arguments must have required property 'at'");
  });

  it("knows a parameter with the name of what every object inherits from one that is given", () => {
    const string = { type: "string" };
    const check = compileArgumentsCheck(
      JSON.stringify({
        type: "object",
        properties: { constructor: string, toString: string },
        required: ["toString"],
      }),
    );
    expect(check({ toString: "x" })).to.equal(undefined);
    expect(check({})).to.include("must have required property 'toString'");
    expect(check({ toString: "x", constructor: 5 })).to.include("arguments/constructor must be string");
  });

  it("knows both drafts", () => {
    const tuple = {
      type: "object",
      properties: { at: { type: "array", prefixItems: [{ type: "number" }] } },
    };
    expect(problem({ at: ["x"] }, tuple)).to.contain("arguments/at/0 must be number");
    const $schema = "http://json-schema.org/draft-07/schema#";
    const older = {
      $schema,
      type: "object",
      properties: { at: { type: "array", items: [{ type: "number" }] } },
    };
    expect(problem({ at: ["x"] }, older)).to.contain("arguments/at/0 must be number");
  });

  it("leaves to the server what takes long, is masked or cannot be compiled", () => {
    expect(problem({ pod: `${"a".repeat(64)}!` })).to.equal(undefined);
    expect(
      problem({ a: 1 }, { type: "object", properties: { a: { $ref: "https://nowhere.test/x" } } }),
    ).to.equal(undefined);
    expect(problem({ a: 1 }, { type: "object", properties: { a: { enum: ["[MASKED_TOKEN]"] } } })).to.equal(
      undefined,
    );
    expect(compileArgumentsCheck("no schema")({})).to.equal(undefined);
    let deep: Record<string, unknown> = {};
    for (let depth = 0; depth < 30_000; depth += 1) deep = { a: deep };
    expect(problem(deep, { type: "object", properties: { a: { $ref: "#" } } })).to.equal(undefined);
  });
});
