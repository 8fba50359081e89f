import { expect } from "chai";
import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { adaptTools } from "../tool-schemas/adapt-call.ts";
import { CONSERVATIVE_RULES, GEMINI_RULES, OPENAI_RULES } from "../tool-schemas/tool-rules.ts";
import { APIS, toolWith } from "./adapted-request.ts";

const SCHEMA = { type: "object", properties: { a: { type: "string" } } };

function many(count: number, schema: unknown = SCHEMA): ToolDefinition[] {
  return Array.from({ length: count }, (_, index) => toolWith(schema, { name: `server.tool${index}` }));
}

describe("adaptTools", () => {
  it("leaves out the tools beyond an API's number, and names them", () => {
    const { tools, warnings } = adaptTools(many(130), OPENAI_RULES);
    expect(tools.size).to.equal(128);
    expect(warnings).to.deep.equal([
      {
        code: "tools_left_out",
        message:
          "tools that are not offered to the model: server.tool128 (OpenAI's API takes 128 tools), server.tool129 (OpenAI's API takes 128 tools)",
      },
    ]);
    expect(adaptTools(many(200), GEMINI_RULES).tools.size).to.equal(200);
  });

  it("names only some of many", () => {
    const [warning] = adaptTools(many(1_128), OPENAI_RULES).warnings;
    expect(warning?.message)
      .to.match(/, 980 more$/u)
      .and.have.length.below(2_000);
  });

  it("leaves out a tool without a name, and one whose name another tool has", () => {
    const long = `server.${"long".repeat(30)}`;
    const same = toolAlias(long).replaceAll("__", ".");
    const { tools, warnings } = adaptTools(
      [toolWith(SCHEMA, { name: "" }), ...[long, same, long].map((name) => toolWith(SCHEMA, { name }))],
      OPENAI_RULES,
    );
    expect([...tools.keys()]).to.deep.equal([long]);
    expect(warnings[0]?.message).to.contain("a tool (it has no name)");
    expect(warnings[0]?.message).to.contain(`${same} (another tool has the same name)`);
  });

  it("shortens the longest schemas if all together are too large, and keeps the tools", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `a${index}`,
        { type: "string", description: "Long. ".repeat(60) },
      ]),
    );
    const large = many(100, { type: "object", properties });
    const small = toolWith(SCHEMA, { name: "server.small" });
    const { tools, warnings } = adaptTools([...large, small], OPENAI_RULES);
    expect(tools.size).to.equal(101);
    expect(tools.get("server.small")?.definition.parametersSchema).to.equal(JSON.stringify(SCHEMA));
    const length = [...tools.values()].reduce(
      (sum, { definition }) => sum + definition.parametersSchema.length,
      0,
    );
    expect(length).to.be.below(OPENAI_RULES.maxTotalLength);
    expect(tools.get("server.tool7")?.definition.parametersSchema).to.contain('"a50"');
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ code: "tool_schemas_shortened" });
  });

  it("gives a tool a description where one is required", () => {
    const { tools } = adaptTools([toolWith(SCHEMA, { description: " " })], CONSERVATIVE_RULES);
    expect(tools.get("server.tool")?.definition.description).to.equal("server.tool");
  });

  it("warns of nothing that an API's form alone costs", () => {
    const odd = toolWith({ anyOf: [SCHEMA, { required: ["$b"] }], $defs: {} });
    for (const { rules, refusal } of Object.values(APIS)) {
      const { tools, warnings } = adaptTools([odd, ...many(3)], rules);
      expect(warnings).to.deep.equal([]);
      expect(refusal([...tools.values()].map(({ definition }) => definition))).to.equal(undefined);
    }
  });
});
