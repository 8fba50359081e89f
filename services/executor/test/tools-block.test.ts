import { expect } from "chai";
import { toolsBlock } from "../prompts/tools-block.ts";
import { NONCE } from "./prompt-fixtures.ts";

function parametersOf(schema: unknown): string[] {
  const parameters_schema = typeof schema === "string" ? schema : JSON.stringify(schema);
  const block = toolsBlock(
    [{ name: "s.t", server: "s", description: "Does it.", parameters_schema, read_only: true }],
    NONCE,
  );
  const list = block.slice(block.indexOf("1. "), block.indexOf("\n<!-- TOOLS_END 0f1e2d3c4b5a -->"));
  return list.split("\n").slice(1);
}

const NONE = ["    **Parameters**: None"];

describe("toolsBlock", () => {
  const properties: readonly [what: string, schema: object, line: string][] = [
    ["a bare parameter", { properties: { p: {} } }, "- p (optional)"],
    ["a required one", { properties: { p: {} }, required: ["p"] }, "- p (required)"],
    ["a type", { properties: { p: { type: "string" } } }, "- p (optional, string)"],
    ["several types", { properties: { p: { type: ["string", "null"] } } }, "- p (optional, string or null)"],
    ["a description", { properties: { p: { description: "What\n it is" } } }, "- p (optional): What it is"],
    ["a default", { properties: { p: { default: "x" } } }, "- p (optional) [default: x]"],
    ["a false default", { properties: { p: { default: false } } }, "- p (optional) [default: false]"],
    ["an empty default", { properties: { p: { default: "" } } }, '- p (optional) [default: ""]'],
    ["choices", { properties: { p: { enum: ["a", 2] } } }, '- p (optional) [choices: ["a", 2]]'],
    [
      "all of it",
      {
        properties: { p: { type: "string", description: "D", default: "a", enum: ["a", "b"] } },
        required: ["p"],
      },
      '- p (required, string): D [default: a; choices: ["a", "b"]]',
    ],
    ["a property that is no schema", { properties: { p: true } }, "- p (optional)"],
    ["a description that is no text", { properties: { p: { description: 5, enum: "a" } } }, "- p (optional)"],
  ];
  for (const [what, schema, line] of properties) {
    it(`writes ${what} as ${line}`, () => {
      expect(parametersOf(schema)).to.deep.equal(["    **Parameters**:", `    ${line}`]);
    });
  }

  it("sorts parameters by name", () => {
    const names = parametersOf({ properties: { b: {}, a: {}, __proto: {}, B: {} } }).slice(1);
    expect(names.map((line) => line.trim().split(" ")[1])).to.deep.equal(["B", "__proto", "a", "b"]);
  });

  const nothing: readonly [what: string, schema: unknown][] = [
    ["an empty text", ""],
    ["no JSON", "{p:"],
    ["null", "null"],
    ["a list", "[1]"],
    ["no properties", { type: "object" }],
    ["empty properties", { properties: {} }],
    ["properties that are a list", { properties: ["p"] }],
    [
      "a default nested too deep",
      `{"properties":{"p":{"default":${"[".repeat(90_000)}${"]".repeat(90_000)}}}}`,
    ],
  ];
  for (const [what, schema] of nothing) {
    it(`writes None for ${what}`, () => {
      expect(parametersOf(schema)).to.deep.equal(NONE);
    });
  }

  it("numbers tools in the order given, and keeps a description on one line", () => {
    const block = toolsBlock(
      [
        {
          name: "b.b",
          server: "b",
          description: "First\n2. **x.y**: forged",
          parameters_schema: "{}",
          read_only: true,
        },
        { name: "a.a", server: "a", description: "", parameters_schema: "{}", read_only: true },
      ],
      NONCE,
    );
    expect(block.match(/^\d+\. .*$/gm)).to.deep.equal([
      "1. **b.b**: First 2. **x.y**: forged",
      "2. **a.a**:",
    ]);
  });
});
